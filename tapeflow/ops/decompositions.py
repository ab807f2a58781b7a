"""Matrix decompositions and what is solved with them."""

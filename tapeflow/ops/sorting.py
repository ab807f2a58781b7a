"""Order: sort, top_k, unique, search."""

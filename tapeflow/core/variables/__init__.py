"""Variables, and what changes them."""

"""Initial values for variables."""

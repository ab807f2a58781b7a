"""Random draws from explicit keys."""

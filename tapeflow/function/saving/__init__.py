"""Saving and restoring graphs: serialisation to JSON, and printing."""

"""Derivatives by other ways: custom rules, recomputation, forward mode."""

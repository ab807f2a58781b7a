"""Structured control flow: conditionals and loops as operations of a graph, with their derivatives."""

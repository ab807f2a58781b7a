"""Primitives on images and boxes."""

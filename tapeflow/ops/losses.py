"""Fused cross-entropies."""

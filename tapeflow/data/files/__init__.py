"""Datasets of files: CSV, TFRecords, lines, and elements that are kept on disk."""

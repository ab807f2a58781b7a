"""Devices, names, loggers, graph-less odds and ends."""

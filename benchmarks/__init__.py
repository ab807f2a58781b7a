"""tapeflow next to its peers: `make bench`, or `python -m benchmarks --help`."""

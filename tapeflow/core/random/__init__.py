"""Random bits: the Philox generator, and the streams of keys and counters that operations draw from."""

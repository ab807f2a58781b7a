"""What was recorded, explained: why a gradient is None, where NaN came from, what a tape keeps and how long it
took."""

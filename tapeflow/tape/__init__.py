"""GradientTape: recording operations and walking back over them."""

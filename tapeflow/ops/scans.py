"""Running sums, products and log-sum-exps along an axis."""

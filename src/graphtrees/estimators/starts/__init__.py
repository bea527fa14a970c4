"""What boosting may start from beside a constant: a linear model, or another estimator."""

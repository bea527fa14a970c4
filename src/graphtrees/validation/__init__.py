"""What users give, validated once: X, y, weights, metrics, and fitted models."""

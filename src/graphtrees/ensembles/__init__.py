"""Loops over trees: boosting and forests. Nothing here knows scikit-learn's estimators."""

"""Tests of the look before training."""

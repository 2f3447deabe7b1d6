"""Rankers: signals and features of candidates, and the models that order them."""

"""Explanations: what a score is made of, and the reasons for a paper in sentences."""

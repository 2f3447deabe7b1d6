"""Formulas, one function each."""

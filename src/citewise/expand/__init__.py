"""Expanders: from candidates to more candidates, with the signals that say why."""

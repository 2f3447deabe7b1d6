"""NNSelect: trains vectors of stems so that a paper is near the papers that it cites; needs the
extra `train`.
"""

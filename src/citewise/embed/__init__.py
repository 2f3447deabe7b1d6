"""Encoders: texts to vectors whose cosine says how alike they are; needs the extra `neural`."""

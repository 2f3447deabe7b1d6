"""Encoders: texts to vectors whose cosine is their similarity; needs the extra `neural`."""

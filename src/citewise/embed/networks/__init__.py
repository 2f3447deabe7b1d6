"""Transformers as ONNX graphs, made from their weights without a deep-learning framework."""

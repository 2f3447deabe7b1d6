"""BERT in torch, for training: what cross-encoders and encoders learn with."""

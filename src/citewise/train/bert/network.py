"""BERT (Devlin et al. 2019) in torch; parameters have the names that transformers gives them."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from citewise.errors import BadInput


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a BERT, as its `config.json` has them."""

    vocabulary: int
    layers: int
    heads: int
    size: int
    inner: int
    positions: int
    segments: int = 2
    epsilon: float = 1e-12

    @classmethod
    def of(cls, config: dict[str, Any]) -> "Shape":
        """Return the shape that a configuration describes; anything but BERT is an error."""
        kind, activation = config.get("model_type"), config.get("hidden_act", "gelu")
        positions = config.get("position_embedding_type") or "absolute"
        if kind != "bert" or activation != "gelu" or positions != "absolute":
            raise BadInput(
                f"a model of type {kind!r} with {activation!r} and {positions} positions; only "
                "BERT with GELU and absolute positions can be trained"
            )
        try:
            return cls(
                vocabulary=config["vocab_size"],
                layers=config["num_hidden_layers"],
                heads=config["num_attention_heads"],
                size=config["hidden_size"],
                inner=config["intermediate_size"],
                positions=config["max_position_embeddings"],
                segments=config.get("type_vocab_size", 2),
                epsilon=config.get("layer_norm_eps", 1e-12),
            )
        except KeyError as error:
            raise BadInput(f"config.json does not say {error.args[0]}") from None


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts as token numbers, a row a text, padded at the end."""

    ids: Tensor
    segments: Tensor
    mask: Tensor
    """Which places hold tokens."""


class _Embeddings(nn.Module):
    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(shape.vocabulary, shape.size)
        self.position_embeddings = nn.Embedding(shape.positions, shape.size)
        self.token_type_embeddings = nn.Embedding(shape.segments, shape.size)
        self.LayerNorm = nn.LayerNorm(shape.size, shape.epsilon)
        self._dropout = dropout

    def forward(self, batch: Batch) -> Tensor:
        """Return the normalised sum of each token's word, position and segment embeddings."""
        positions = self.position_embeddings.weight[: batch.ids.shape[1]]
        total = self.word_embeddings(batch.ids) + self.token_type_embeddings(batch.segments)
        normed = self.LayerNorm(total + positions)
        return functional.dropout(normed, self._dropout, self.training)


class _Projections(nn.Module):
    """The queries, keys and values of attention."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.query = nn.Linear(shape.size, shape.size)
        self.key = nn.Linear(shape.size, shape.size)
        self.value = nn.Linear(shape.size, shape.size)


class _Output(nn.Module):
    """A linear step with a shortcut, then layer normalisation."""

    def __init__(self, width: int, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width, shape.size)
        self.LayerNorm = nn.LayerNorm(shape.size, shape.epsilon)
        self._dropout = dropout

    def forward(self, hidden: Tensor, shortcut: Tensor) -> Tensor:
        """Return the sum of the step's output and the shortcut, normalised."""
        dense = functional.dropout(self.dense(hidden), self._dropout, self.training)
        normed: Tensor = self.LayerNorm(dense + shortcut)
        return normed


class _Attention(nn.Module):
    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.self = _Projections(shape)
        self.output = _Output(shape.size, shape, dropout)
        self._heads, self._dropout = shape.heads, dropout

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Return softmax(Q K^T / sqrt(size of a head)) V, the heads end to end, mixed."""
        texts, tokens, size = hidden.shape

        def heads(step: nn.Linear) -> Tensor:
            """Return (text, token, value) as (text, head, token, value of the head)."""
            return step(hidden).view(texts, tokens, self._heads, -1).transpose(1, 2)

        found = functional.scaled_dot_product_attention(
            heads(self.self.query),
            heads(self.self.key),
            heads(self.self.value),
            attn_mask=mask,
            dropout_p=self._dropout if self.training else 0.0,
        )
        mixed: Tensor = self.output(found.transpose(1, 2).reshape(texts, tokens, size), hidden)
        return mixed


class _Intermediate(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.dense = nn.Linear(shape.size, shape.inner)

    def forward(self, hidden: Tensor) -> Tensor:
        return functional.gelu(self.dense(hidden))


class _Layer(nn.Module):
    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.attention = _Attention(shape, dropout)
        self.intermediate = _Intermediate(shape)
        self.output = _Output(shape.inner, shape, dropout)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        attended = self.attention(hidden, mask)
        found: Tensor = self.output(self.intermediate(attended), attended)
        return found


class _Layers(nn.Module):
    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(shape, dropout) for _ in range(shape.layers))


class _Pooler(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.dense = nn.Linear(shape.size, shape.size)


class Bert(nn.Module):
    """The encoder: a vector for each token."""

    def __init__(self, shape: Shape, dropout: float = 0.0, pooler: bool = False) -> None:
        """`pooler`: whether it has the step behind [CLS] that classifiers read."""
        super().__init__()
        self.embeddings = _Embeddings(shape, dropout)
        self.encoder = _Layers(shape, dropout)
        if pooler:
            self.pooler = _Pooler(shape)

    def forward(self, batch: Batch) -> Tensor:
        """Return the last layer's vectors: text x token x value."""
        hidden = self.embeddings(batch)
        mask = batch.mask[:, None, None, :]
        for layer in self.encoder.layer:
            hidden = layer(hidden, mask)
        found: Tensor = hidden
        return found


class CrossEncoder(nn.Module):
    """BERT with one linear step behind its pooled [CLS]: a number for each pair of texts."""

    def __init__(self, shape: Shape, dropout: float = 0.0) -> None:
        super().__init__()
        self.bert = Bert(shape, dropout, pooler=True)
        self.classifier = nn.Linear(shape.size, 1)
        self._dropout = dropout

    def forward(self, batch: Batch) -> Tensor:
        """Return the logit of each pair."""
        first = self.bert(batch)[:, 0]
        pooled = torch.tanh(self.bert.pooler.dense(first))
        pooled = functional.dropout(pooled, self._dropout, self.training)
        logits: Tensor = self.classifier(pooled)[:, 0]
        return logits


class MeanEncoder(nn.Module):
    """BERT with the mean, or the first, of a text's token vectors, of length 1."""

    def __init__(self, shape: Shape, dropout: float = 0.0, pooling: str = "mean") -> None:
        super().__init__()
        self.bert = Bert(shape, dropout)
        self._pooling = pooling

    def forward(self, batch: Batch) -> Tensor:
        """Return a vector for each text."""
        hidden = self.bert(batch)
        if self._pooling == "cls":
            return functional.normalize(hidden[:, 0], dim=-1)
        mask = batch.mask[:, :, None].to(hidden.dtype)
        return functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)


def fresh(module: nn.Module, seed: int, spread: float = 0.02) -> None:
    """Give a module the random weights that BERT's training begins with; the same for a seed."""
    random = torch.Generator().manual_seed(seed)
    for name, each in module.named_parameters():
        with torch.no_grad():
            if name.endswith("LayerNorm.weight"):
                each.fill_(1.0)
            elif name.endswith("bias"):
                each.zero_()
            else:
                each.normal_(0.0, spread, generator=random)


def padded(texts: list[tuple[list[int], list[int]]], padding: int) -> Batch:
    """Return texts, given as token numbers and segments, as one batch."""
    longest = max(len(ids) for ids, _ in texts)
    ids = torch.full((len(texts), longest), padding, dtype=torch.long)
    segments = torch.zeros((len(texts), longest), dtype=torch.long)
    mask = torch.zeros((len(texts), longest), dtype=torch.bool)
    for row, (numbers, sides) in enumerate(texts):
        ids[row, : len(numbers)] = torch.tensor(numbers)
        segments[row, : len(sides)] = torch.tensor(sides)
        mask[row, : len(numbers)] = True
    return Batch(ids, segments, mask)


def share_of_rate(step: int, warm_up: int, steps: int) -> float:
    """Return the share of the learning rate at a step: it grows over the warm-up, then falls in a
    line to 0.
    """
    if step < warm_up:
        return (step + 1) / warm_up
    return max(0.0, (steps - step) / max(steps - warm_up, 1))


def optimiser_of(
    module: nn.Module, rate: float, decay: float, words: bool = True
) -> torch.optim.AdamW:
    """Return Adam with weight decay, from which biases and normalisation are exempt; without
    `words`, their embeddings stay as they are.
    """
    exempt: list[Tensor] = []
    others: list[Tensor] = []
    for name, each in module.named_parameters():
        if not words and name.endswith("word_embeddings.weight"):
            each.requires_grad_(False)
        else:
            (exempt if name.endswith(("bias", "LayerNorm.weight")) else others).append(each)
    groups = [{"params": others, "weight_decay": decay}, {"params": exempt, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.999))

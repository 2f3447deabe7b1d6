"""Which share each token has in the vector of its text."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citewise.embed.networks.outputs import Pooling
from citewise.text.sentences import sentence_spans

if TYPE_CHECKING:
    from tokenizers import Encoding


def token_shares(
    pooling: Pooling,
    tokens: Sequence["Encoding"],
    texts: Sequence[str],
    separator: str,
) -> NDArray[np.float32] | None:
    """Return the share of each token in its text's vector, a row a text; None where the vector is
    that of the first token. The texts have the same number of tokens.

    Sentences end where the `separator` stands, too; it has no share itself.
    """
    if pooling == "cls":
        return None
    if pooling == "mean":
        return np.full((len(tokens), len(tokens[0])), 1 / len(tokens[0]), np.float32)
    return np.array(
        [_sentence_shares(each, text, separator) for each, text in zip(tokens, texts, strict=True)],
        np.float32,
    )


def _sentence_shares(tokens: "Encoding", text: str, separator: str) -> NDArray[np.float64]:
    """Return shares that are equal for all sentences, and for all tokens of a sentence; in a text
    without words, the first token has all.
    """
    parts = [(match.start(), match.end()) for match in re.finditer(re.escape(separator), text)]
    ends = {end for _, end in parts} if separator.strip() else set[int]()
    starts = np.array(sorted({0, *ends, *(start for start, _ in sentence_spans(text, ()))}))

    special = np.array(tokens.special_tokens_mask, np.bool_)
    special |= np.array([token == separator for token in tokens.tokens], np.bool_)
    # a token's last character says where it belongs: its first one may be the space before it
    last = np.array([max(end - 1, 0) for _, end in tokens.offsets], np.int64)
    sentences = np.searchsorted(starts, last, "right")

    _, sentence, counts = np.unique(sentences[~special], return_inverse=True, return_counts=True)
    shares = np.zeros(len(tokens))
    if counts.size:
        shares[~special] = 1 / (counts.size * counts[sentence])
    else:
        shares[0] = 1
    return shares

"""Texts as token numbers, each read once; pairs of them as a cross-encoder reads them."""

from collections.abc import Sequence
from pathlib import Path

from citewise.embed.truncation import Truncation
from citewise.errors import BadInput

Tokens = list[int]


class Tokenizer:
    """A model's tokenizer, with the numbers of its special tokens."""

    def __init__(self, folder: Path, limit: int) -> None:
        """`limit` is how many tokens the model can read."""
        from tokenizers import Tokenizer as Wordpiece

        file = folder / "tokenizer.json"
        if not file.is_file():
            raise BadInput(f"{folder}: a model that is trained needs its tokenizer.json")
        self._read = Wordpiece.from_file(str(file))
        self._read.no_truncation()
        self._read.no_padding()
        self._limit = limit
        self.padding = self._number("[PAD]")
        self._first, self._end = self._number("[CLS]"), self._number("[SEP]")

    def _number(self, token: str) -> int:
        number = self._read.token_to_id(token)
        if number is None:
            raise BadInput(f"the model's tokenizer has no {token}")
        return int(number)

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the token numbers of texts, without special tokens."""
        found = self._read.encode_batch(list(texts), add_special_tokens=False)
        return [each.ids for each in found]

    def single(self, text: Tokens, limit: int = 0) -> tuple[Tokens, Tokens]:
        """Return a text with its special tokens, cut to a limit, and the segments of its tokens."""
        most = min(limit or self._limit, self._limit) - 2
        ids = [self._first, *text[:most], self._end]
        return ids, [0] * len(ids)

    def pair(self, query: Tokens, candidate: Tokens, rule: Truncation) -> tuple[Tokens, Tokens]:
        """Return [CLS] query [SEP] candidate [SEP], cut by a rule, and its tokens' segments."""
        query, candidate = self._cut(query, candidate, rule)
        first = [self._first, *query, self._end]
        return [*first, *candidate, self._end], [0] * len(first) + [1] * (len(candidate) + 1)

    def _cut(self, query: Tokens, candidate: Tokens, rule: Truncation) -> tuple[Tokens, Tokens]:
        if rule.query:
            return query[: rule.query - 2], candidate[: rule.candidate - 1]

        # the longer side gives way until both fit; if need be, both keep half of the room, and the
        # longer one has what is left of it
        room = min(rule.tokens or self._limit, self._limit) - 3
        shorter, longer = sorted((query, candidate), key=len)
        if len(shorter) + len(longer) <= room:
            return query, candidate
        kept = min(len(shorter), room // 2)
        if longer is query:
            return query[: room - kept], candidate[:kept]
        return query[:kept], candidate[: room - kept]

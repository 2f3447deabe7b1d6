"""A model's tokenizer, from one file, from WordPiece's words or from byte pairs."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citewise.embed.folder import BPE, TOKENIZER_CONFIG, WHOLE, WORDS, json_object
from citewise.embed.networks.architectures import Architecture
from citewise.errors import BadInput

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BERT_TOKENS = {
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "mask_token": "[MASK]",
}
_ROBERTA_TOKENS = {
    "cls_token": "<s>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
    "unk_token": "<unk>",
    "mask_token": "<mask>",
}


def tokenizer_of(folder: Path, architecture: Architecture) -> "Tokenizer":
    """Return a model's tokenizer, which neither cuts nor pads."""
    try:
        tokenizer = _made(folder, architecture)
    except BadInput:
        raise
    except Exception as error:  # tokenizers raises plain exceptions
        raise BadInput(
            f"{folder}: its tokenizer cannot be read ({error}); copy the folder again"
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _made(folder: Path, architecture: Architecture) -> "Tokenizer":
    from tokenizers import Tokenizer

    if (folder / WHOLE).is_file():
        return Tokenizer.from_file(str(folder / WHOLE))

    config = json_object(folder / TOKENIZER_CONFIG)
    if (folder / WORDS).is_file():
        return _word_pieces(folder, config, architecture)
    return _byte_pairs(folder, config)


def _word_pieces(
    folder: Path, config: Mapping[str, Any], architecture: Architecture
) -> "Tokenizer":
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    like_roberta = architecture.name == "mpnet"
    usual = _ROBERTA_TOKENS | {"unk_token": "[UNK]"} if like_roberta else _BERT_TOKENS
    special = _special(config, usual)

    words = (folder / WORDS).read_text("utf-8").removesuffix("\n").split("\n")
    vocabulary = {word.rstrip("\r"): number for number, word in enumerate(words)}
    _check(folder / WORDS, vocabulary, special)

    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=special["unk_token"]))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=bool(config.get("tokenize_chinese_chars", True)),
        strip_accents=config.get("strip_accents"),
        lowercase=bool(config.get("do_lower_case", True)),
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    _add_special(tokenizer, special, like_roberta, takes_space=like_roberta)
    return tokenizer


def _byte_pairs(folder: Path, config: Mapping[str, Any]) -> "Tokenizer":
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    special = _special(config, _ROBERTA_TOKENS)
    vocabulary, merges = models.BPE.read_file(*(str(folder / name) for name in BPE))
    _check(folder / BPE[0], vocabulary, special)

    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    with_space = bool(config.get("add_prefix_space", False))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=with_space)
    tokenizer.decoder = decoders.ByteLevel()
    _add_special(tokenizer, special, like_roberta=True)
    return tokenizer


def _special(config: Mapping[str, Any], usual: Mapping[str, str]) -> dict[str, str]:
    """Return the special tokens by their roles; a token may be written as an object."""
    found = {role: config.get(role) or token for role, token in usual.items()}
    plain = {
        role: each.get("content") if isinstance(each, dict) else each
        for role, each in found.items()
    }
    return {role: str(token) for role, token in plain.items()}


def _check(file: Path, vocabulary: Mapping[str, int], special: Mapping[str, str]) -> None:
    missing = sorted(token for token in special.values() if token not in vocabulary)
    if missing:
        raise BadInput(
            f"{file}: {len(vocabulary):,} tokens without {', '.join(missing)}; it is damaged, or "
            "belongs to another kind of model"
        )


def _add_special(
    tokenizer: "Tokenizer",
    special: Mapping[str, str],
    like_roberta: bool,
    takes_space: bool = False,
) -> None:
    """Let a tokenizer know special tokens in texts, and put them around texts and pairs; a mask
    `takes_space` that is before it.

    BERT: [CLS] A [SEP] B [SEP], in segments 0 and 1; RoBERTa: <s> A </s></s> B </s>, in segment 0.
    """
    from tokenizers import AddedToken
    from tokenizers.processors import TemplateProcessing

    tokenizer.add_special_tokens(
        [
            AddedToken(
                token,
                special=True,
                normalized=False,
                lstrip=takes_space and role == "mask_token",
            )
            for role, token in special.items()
        ]
    )
    cls, sep = special["cls_token"], special["sep_token"]
    second = f"{sep}:0 $B:0 {sep}:0" if like_roberta else f"$B:1 {sep}:1"
    tokenizer.post_processor = TemplateProcessing(
        single=f"{cls}:0 $A:0 {sep}:0",
        pair=f"{cls}:0 $A:0 {sep}:0 {second}",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in (cls, sep)],
    )


def separator_of(tokenizer: "Tokenizer") -> str:
    """Return the token that a model puts behind a text, such as [SEP]."""
    tokens = tokenizer.encode("").tokens
    if not tokens:
        raise BadInput("the model's tokenizer puts no token behind a text")
    return str(tokens[-1])

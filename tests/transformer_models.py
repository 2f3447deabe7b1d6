"""Small random transformers, saved by transformers itself, and their outputs by torch."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

CORPUS = [
    "Papers that are cited together are related, as Small (1973) found.",
    "β-actin mRNA (5′ end) was naïvely measured in Ångström: 3.5 µm ± 0.2 😀",
    "Die Größe des Σ-Algebra-Raums; ΑΒΓ αβγ, 東京 and co-citation coupling",
    "we align both sides of the corpus with a fast reparameterisation of IBM model 2",
    "graph neural networks recommend citations for drafts with titles and abstracts",
]
TEXTS = [
    *CORPUS,
    "",
    " ",
    "UPPER lower MiXeD",
    "e\u0301 and \u00e9; \u2163 \ufb01nally\u00a0spaced\u200b\tout\n",
    "👩\u200d🔬 works at CERN \U0001f9ec",
    "a[SEP]b </s> c [MASK] <mask> d",
    "bees " * 700,
]

_BERT_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_ROBERTA_TOKENS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]

KINDS = ("bert", "bert-cased", "distilbert", "roberta", "mpnet", "xlm-roberta")


def words_of(cased: bool, special: Sequence[str]) -> list[str]:
    """Return the words of a small WordPiece vocabulary that was learned from the corpus."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    texts = [text if cased else text.lower() for text in CORPUS]
    trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=[*special])
    tokenizer.train_from_iterator(texts, trainer)
    return sorted(tokenizer.get_vocab(), key=lambda word: tokenizer.get_vocab()[word])


def tokenizer_for(kind: str, folder: Path) -> Any:
    """Return transformers' tokenizer for a kind of model; its plain files are in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if kind in ("roberta", "xlm-roberta"):
        trained = Tokenizer(models.BPE(unk_token="<unk>"))
        trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            vocab_size=500,
            special_tokens=_ROBERTA_TOKENS,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )
        trained.train_from_iterator(CORPUS, trainer)
        trained.model.save(str(folder))
        return transformers.RobertaTokenizerFast.from_pretrained(folder)

    special = [*_ROBERTA_TOKENS, "[UNK]"] if kind == "mpnet" else _BERT_TOKENS
    words = words_of(kind == "bert-cased", special)
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", "utf-8")
    lower = kind != "bert-cased"
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": lower}))
    maker = getattr(transformers, f"{'MPNet' if kind == 'mpnet' else 'Bert'}TokenizerFast")
    return maker.from_pretrained(folder, do_lower_case=lower)


_CLASSES = {
    "bert": "Bert",
    "bert-cased": "Bert",
    "distilbert": "DistilBert",
    "roberta": "Roberta",
    "xlm-roberta": "XLMRoberta",
    "mpnet": "MPNet",
}


def random_model(kind: str, folder: Path, labels: int = 0, **settings: Any) -> tuple[Any, Any]:
    """Save a random model with its tokenizer; return both. Without labels, it has no head."""
    tokenizer = tokenizer_for(kind, folder)
    sizes: dict[str, Any] = {
        "hidden_size": 48,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "intermediate_size": 80,
    }
    if kind == "distilbert":
        sizes = {"dim": 48, "n_layers": 3, "n_heads": 4, "hidden_dim": 80}
    offset = kind in ("roberta", "xlm-roberta", "mpnet")
    if kind in ("roberta", "xlm-roberta"):
        sizes["type_vocab_size"] = 1

    torch.manual_seed(len(kind))
    config = getattr(transformers, f"{_CLASSES[kind]}Config")(
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        **({"num_labels": labels} if labels else {}),
        **{"max_position_embeddings": 514 if offset else 512, "initializer_range": 0.15}
        | sizes
        | settings,
    )
    name = f"{_CLASSES[kind]}{'ForSequenceClassification' if labels else 'Model'}"
    model = getattr(transformers, name)(config).eval()
    with torch.no_grad():  # biases and norms are 0 and 1 at first: a mistake would not be seen
        for weights in model.parameters():
            if weights.ndim == 1:
                weights.add_(0.1 * torch.randn_like(weights))
    model.save_pretrained(folder)
    return model, tokenizer


def with_pooling(folder: Path, mode: str) -> None:
    """Let a folder say how tokens become one vector, as sentence-transformers does."""
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{mode}": True}))


def hidden(model: Any, tokenizer: Any, text: str, tokens: int = 512) -> list[NDArray[np.float32]]:
    """Return all layers' vectors of a text's tokens, by torch."""
    given = tokenizer(text, truncation=True, max_length=tokens, return_tensors="pt")
    with torch.no_grad():
        output = model(**given, output_hidden_states=True)
    return [layer[0].numpy() for layer in output.hidden_states]


def logits(model: Any, given: Any) -> NDArray[np.float32]:
    """Return the logits of one pair, by torch."""
    with torch.no_grad():
        found: NDArray[np.float32] = model(**given).logits[0].numpy()
    return found

"""The user's list of models, by the library's functions and by `citewise models`."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.embed.adding import KNOWN, add, check
from citewise.embed.encoder import TransformerEncoder
from citewise.embed.encoders import encoder_named
from citewise.embed.folder import digest_of
from citewise.embed.located import located
from citewise.embed.pair_scorers import pair_scorer_named
from citewise.embed.presets import HUB_NAMES, PRESETS, Preset, preset_of
from citewise.embed.registry import Registry
from citewise.errors import BadInput, MissingData, MissingExtra
from citewise.types import Paper
from command_line import Run

pytest.importorskip("torch")
pytest.importorskip("transformers")

from transformer_models import hidden, random_model, with_pooling

pytestmark = [pytest.mark.usefixtures("encoder_cache", "_own_list"), pytest.mark.slow]


@pytest.fixture
def _own_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's own list out of the tests."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small random BERT that does not say how tokens become a vector."""
    random_model("bert", tmp_path / "model")
    return tmp_path / "model"


def test_a_preset_says_how_a_folder_is_used(folder: Path) -> None:
    with pytest.raises(BadInput, match="citewise models add NAME"):
        encoder_named(str(folder), "fp32")
    added = add("specter", str(folder), "specter")
    assert (added.kind, added.preset, added.known_as) == ("encoder", PRESETS["specter"], "")

    encoder = TransformerEncoder("specter", "fp32")
    assert encoder.about.model == "specter" and encoder.about.distance == "l2"
    assert encoder.form.paper("Bees", "They dance.") == "Bees[SEP]They dance."
    assert encoder.form.paper("Bees", "") == "Bees[SEP]"
    (vector,) = encoder.encode(["Bees[SEP]They dance."])
    assert abs(np.linalg.norm(vector) - 1) > 0.1, "vectors keep their length"


def test_vectors_of_a_preset_are_those_of_torch(tmp_path: Path) -> None:
    model, tokenizer = random_model("bert", tmp_path / "model")
    add("scincl", str(tmp_path / "model"), "scincl")
    encoder = TransformerEncoder("scincl", "fp32")
    text = f"Bees{tokenizer.sep_token}They dance."
    (found,) = encoder.encode([encoder.form.paper("Bees", "They dance.")])
    assert found == pytest.approx(hidden(model, tokenizer, text)[-1][0], abs=1e-4)


def test_presets_differ_by_their_digests(folder: Path) -> None:
    for name in ("scibert", "specter", "aspire"):
        add(name, str(folder), name)
    digests = {TransformerEncoder(name, "fp32").about.digest for name in Registry().read()}
    assert len(digests) == 3


def test_options_change_a_preset(folder: Path) -> None:
    add("mine", str(folder), changes={"pooling": "mean", "tokens": 64})
    assert Registry().read()["mine"].preset == Preset("mean", tokens=64)
    add("mine", str(folder), "e5", {"paper_prefix": "", "distance": "l2"})
    changed = Registry().read()["mine"].preset
    assert changed == Preset("mean", query_prefix="query: ", distance="l2")


def test_a_folder_of_sentence_transformers_says_it_itself(folder: Path) -> None:
    with_pooling(folder, "cls_token")
    prompts = {"prompts": {"query": "find: ", "document": "paper: "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 40}')
    expected = Preset("cls", "space", "find: ", "paper: ", tokens=40)
    assert preset_of(folder) == add("mine", str(folder)).preset == expected


def test_cross_encoders_are_known_by_their_head(tmp_path: Path) -> None:
    random_model("mpnet", tmp_path / "cross", 1)
    assert add("cross", str(tmp_path / "cross")).kind == "pairs"
    scorer = pair_scorer_named("cross", "fp32")
    assert scorer.about.model == "cross" and scorer.score([("a", "b")]).shape == (1,)


def test_a_model_that_changed_is_noticed(folder: Path) -> None:
    add("specter", str(folder), "specter")
    before = TransformerEncoder("specter", "fp32").about
    assert check("specter").digest == before.digest
    random_model("bert", folder, initializer_range=0.3)
    with pytest.raises(BadInput, match="changed since it was added"):
        check("specter")
    assert TransformerEncoder("specter", "fp32").about != before


def test_known_weights_are_named() -> None:
    assert KNOWN[digest_of(located("minilm").folder)] == "all-MiniLM-L6-v2"
    assert check("minilm").known_as == "all-MiniLM-L6-v2"


@pytest.mark.parametrize("name", ["", "Upper", "a/b", "minilm", "nnselect", "a b", "../x"])
def test_names_that_cannot_be(folder: Path, name: str) -> None:
    with pytest.raises(BadInput, match="cannot be a model's name"):
        add(name, str(folder), "specter")


def test_unknown_presets_and_damaged_lists(folder: Path) -> None:
    with pytest.raises(BadInput, match="no preset 'spectre'; the presets are scibert"):
        add("mine", str(folder), "spectre")
    Registry().path.parent.mkdir(parents=True)
    Registry().path.write_text("{")
    with pytest.raises(BadInput, match="the list of models is damaged"):
        Registry().read()


def test_hub_names_have_presets_and_are_never_guessed() -> None:
    assert {*HUB_NAMES.values()} == {*PRESETS}
    assert all(name.count("/") == 1 for name in HUB_NAMES)


def test_without_a_network_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match="pip install huggingface_hub"):
        add("specter", "allenai/specter")


def test_a_folder_that_is_gone(folder: Path, run: Run, tmp_path: Path) -> None:
    add("specter", str(folder), "specter")
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(MissingData, match=r"no config\.json"):
        located("specter")
    shown = run("models", "list")
    assert shown.code == 0 and "config.json" in shown.out


def test_the_commands(run: Run, folder: Path) -> None:
    done = run("models", "add", "scincl", folder, "--preset", "scincl")
    assert done.code == 0 and "vectors by bert, 3 layers of 48 numbers" in done.err
    assert "cls, sep, l2" in done.err
    assert "scincl" in run("models", "list").out
    assert json.loads(run("models", "list", "--json").out)["scincl"]["kind"] == "encoder"
    assert run("models", "check").code == 0
    (checked,) = json.loads(run("models", "check", "scincl", "--json").out)
    assert checked["preset"]["distance"] == "l2"

    assert run("models", "remove", "scincl").code == 0
    assert (folder / "model.safetensors").is_file(), "only the name is forgotten"
    gone = run("models", "remove", "scincl")
    assert gone.code == 1 and "no model is named 'scincl'" in gone.err
    assert "no models were added" in run("models", "check").err


def test_papers_are_found_by_the_vectors_of_a_named_model(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    citewise.add(
        [Paper(f"p{n}", f"Papers that are cited {n}", f"Bees {n}.") for n in range(5)], library
    )
    add("scincl", str(folder), "scincl")
    done = run("encode", "--library", library, "--papers", "--model", "scincl")
    assert done.code == 0 and "5 texts encoded" in done.err

    opened = citewise.open(library)
    encoder = TransformerEncoder("scincl", "int8")
    vectors = encoder.encode([encoder.form.paper(each.title, each.abstract) for each in opened])
    query = encoder.encode([encoder.form.query("Papers that are cited", "")])[0]
    distances = np.linalg.norm(vectors - query, axis=1)

    answer = opened.recommend("Papers that are cited", system="dense(vectors=scincl)", k=5)
    assert [each.paper.id for each in answer] == [f"p{row}" for row in np.argsort(distances)]
    scores = [each.score for each in answer]
    assert scores == pytest.approx(np.sort(1 / (1 + distances))[::-1], rel=1e-2)

"""Which sets of papers' vectors count for a draft: those of words, and those of a transformer."""

import shutil
from pathlib import Path

import pytest

import citewise
from citewise.api import Library
from citewise.embed import draft_vectors
from citewise.embed.draft_vectors import covers, sets_of_vectors
from citewise.errors import MissingExtra
from citewise.protocols import QueryVectors, Stores
from citewise.signals import TEXT_VECTORS, WORD_VECTORS
from citewise.systems import System
from citewise.types import Paper, Query

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("encoder_cache")]

DRAFT = ("Attention in translation", "We translate sentences by attention alone.")


@pytest.fixture(scope="module")
def encoded(
    tmp_path_factory: pytest.TempPathFactory, sample: Library, encoder_cache: Path
) -> Library:
    """The sample library with vectors of MiniLM."""
    folder = tmp_path_factory.mktemp("encoded") / "library"
    shutil.copytree(sample.stores.info.location, folder)
    citewise.encode(folder, papers=True, spans=False)
    return citewise.open(folder)


def test_a_set_that_is_not_there_does_not_count(sample: Library) -> None:
    stores = sample.stores
    assert covers(stores, "minilm") == (False, "")
    assert sets_of_vectors(stores, "nnselect", "minilm")[1].of(Query("Bees")) is None


def test_vectors_of_nearly_all_papers_count(encoded: Library) -> None:
    assert covers(encoded.stores, "minilm") == (True, "")

    by_words, by_text = sets_of_vectors(encoded.stores, "nnselect", "minilm")
    assert (by_words.signals, by_text.signals) == (WORD_VECTORS, TEXT_VECTORS)
    known = by_text.of(Query("Attention"))
    assert known is not None and len(known[0]) == len(encoded.stores.papers)
    assert len(sets_of_vectors(encoded.stores, "nnselect")) == 1


def test_vectors_of_a_part_do_not_count_and_the_answer_says_so(
    encoded: Library, tmp_path: Path
) -> None:
    """The ranker would hold it against new papers that they have none."""
    folder = tmp_path / "library"
    shutil.copytree(encoded.stores.info.location, folder)
    new = len(encoded.stores.papers) // 4
    citewise.add([Paper(f"new-{number}", f"Bees, part {number}") for number in range(new)], folder)
    library = citewise.open(folder)

    found, note = covers(library.stores, "minilm")
    assert not found
    assert note == (
        "without vectors of minilm (only 80% of the papers have one; make the others with: "
        "citewise encode --library LIBRARY --papers --model minilm)"
    )
    answer = library.recommend(*DRAFT)
    assert note in answer.served_by.note and answer.served_by.model == "default"


def test_an_encoder_that_cannot_be_run_is_named(
    encoded: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(stores: Stores, name: str) -> QueryVectors:
        raise MissingExtra("encoding texts", "neural")

    monkeypatch.setattr(draft_vectors, "query_vectors", missing)
    found, note = covers(encoded.stores, "minilm")
    assert not found and note.startswith("without vectors of minilm (encoding texts needs ")
    assert "pip install" in note


# What `best` makes of them


def test_best_reads_both_and_says_which_model_ranked(encoded: Library) -> None:
    with_texts = encoded.recommend(*DRAFT, explain=True)
    assert with_texts.served_by.model == "default, with minilm"
    assert TEXT_VECTORS.cosine in with_texts[0].signals

    without = encoded.recommend(*DRAFT, system="best(encoder=none)")
    assert without.served_by.model == "default"
    assert TEXT_VECTORS.cosine not in without[0].signals

    identities = {
        System.parse(name).identity(encoded.stores)
        for name in ("best", "best(encoder=none)", "best(model=shipped,encoder=none)")
    }
    assert len(identities) == 3


def test_parts_add_up_to_the_score(encoded: Library) -> None:
    answer = encoded.recommend(*DRAFT, k=5, explain=True)
    for each in answer:
        assert sum(part.value for part in each.contributions) == pytest.approx(each.score)

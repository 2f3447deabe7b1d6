"""Preferences: what is refused, and where they come from."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import citewise
from citewise.api import Library
from citewise.errors import BadInput
from citewise.preferences import KNOBS, Preferences
from citewise.systems import SYSTEMS
from command_line import Run

Options = dict[str, Any]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("preferences", "message"),
    [
        ({"prefer_recent": 1.5}, "prefer_recent is a number from -1 to 1, not 1.5"),
        ({"prefer_cited": -2}, "prefer_cited"),
        ({"diversify": -0.1}, "diversify is a number from 0 to 1"),
        ({"diversify": math.nan}, "diversify"),
        ({"prefer_recent": "much"}, "prefer_recent is a number"),
        ({"prefer_cited": True}, "prefer_cited is a number"),
        ({"no_self_citations": True}, "name the draft's authors"),
        ({"no_self_citations": "yes"}, "true or false"),
        ({"no_self_citations": True, "authors": ["", ","]}, "name the draft's authors"),
        ({"prefer_young": 1}, "unknown preference 'prefer_young'; known: prefer_recent"),
    ],
    ids=str,
)
def test_preferences_without_meaning_are_refused(
    stored: Library, system: str, preferences: Options, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        stored.recommend("bees", system=system, **preferences)


def test_what_was_given() -> None:
    assert not Preferences() and Preferences(diversify=0.1)
    assert Preferences.of({"prefer_cited": -1.0, "diversify": 0}).given() == {"prefer_cited": -1.0}
    assert all(knob.help.endswith(".") for knob in KNOBS)


def test_the_command_line_refuses_them_too(run: Run, golden_library: Path, tmp_path: Path) -> None:
    for option in ("--prefer-recent=7", "--diversify=-1", "--no-self-citations"):
        code, _, errors = run("recommend", "-l", golden_library, "--title", "bees", option)
        assert code == 2 and errors.startswith("citewise: ") and errors.count("\n") == 1
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": "q", "title": "bees"}', "utf-8")
    code, _, errors = run("run", "-l", golden_library, "--queries", queries, "--prefer-cited=3")
    assert code == 2 and "prefer_cited is a number from -1 to 1" in errors


def test_the_command_line_passes_preferences_on(run: Run, golden_library: Path) -> None:
    _, shown, _ = run(
        *("recommend", "-l", golden_library, "--title", "bees", "--format", "json"),
        *("--author", "Otto Wabe", "--author", "Mina Uhr", "--no-self-citations"),
        *("--prefer-recent", "0.5", "--diversify", "0.2"),
    )
    answer, library = json.loads(shown), citewise.open(golden_library)
    expected = library.recommend(
        "bees",
        authors=["Otto Wabe", "Mina Uhr"],
        no_self_citations=True,
        prefer_recent=0.5,
        diversify=0.2,
    )
    found = answer["recommendations"]
    assert [each["paper"]["id"] for each in found] == [each.paper.id for each in expected]
    assert [each["score"] for each in found] == [each.score for each in expected]
    assert not {"doi:10.1000/dance", "doi:10.1000/clock"} & {each.paper.id for each in expected}
    assert answer["query"]["authors"] == ["Otto Wabe", "Mina Uhr"]
    assert answer["query"]["diversify"] == 0.2


QUERIES: list[Options] = [
    {"id": "a", "title": "bees"},
    {"id": "b", "title": "bees", "prefer_recent": -1},
    {
        "id": "c",
        "title": "bees",
        "authors": ["Otto Wabe"],
        "no_self_citations": True,
        "since": 1980,
    },
    {"id": "d", "title": "bees", "diversify": 3},
    {"id": "e", "title": "bees", "authors": "Otto Wabe"},
    {"id": "f", "title": "bees", "no_self_citations": True},
    {"id": "g", "title": "bees", "since": "long ago"},
]


def test_queries_in_a_file_have_preferences(run: Run, golden_library: Path, tmp_path: Path) -> None:
    file = tmp_path / "queries.jsonl"
    file.write_text("\n".join(map(json.dumps, QUERIES)), "utf-8")
    asked = ("run", "-l", golden_library, "--queries", file, "-k", "9")
    _, shown, errors = run(*asked, "--prefer-recent", "1")

    library = citewise.open(golden_library)
    options: dict[str, Options] = {
        "a": {"prefer_recent": 1},
        "b": {"prefer_recent": -1},
        "c": {
            "prefer_recent": 1,
            "authors": ["Otto Wabe"],
            "no_self_citations": True,
            "since": 1980,
        },
    }
    assert [line.split(" ")[:3] for line in shown.splitlines()] == [
        [name, "Q0", "%20".join(each.paper.id.split())]
        for name, preferences in options.items()
        for each in library.recommend("bees", k=9, **preferences)
    ]
    assert "not_a_query4" in "".join(errors.split())


def test_a_preference_that_some_queries_cannot_have(
    run: Run, golden_library: Path, tmp_path: Path
) -> None:
    file = tmp_path / "queries.jsonl"
    file.write_text("\n".join(map(json.dumps, QUERIES[:3])), "utf-8")
    asked = ("run", "-l", golden_library, "--queries", file, "-k", "9")
    _, shown, errors = run(*asked, "--no-self-citations")
    assert {line.split(" ")[0] for line in shown.splitlines()} == {"c"}, (
        "the others name no authors"
    )
    assert "not_a_query2" in "".join(errors.split())

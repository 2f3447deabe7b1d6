"""What the readers of full texts share: passages, groups of citations, sentences, references."""

import itertools
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.ingest.clean import Cleaner
from citewise.ingest.fulltext.citations import Numbering, groups
from citewise.ingest.fulltext.passages import Mark, Passage, PassageWriter, from_spans
from citewise.ingest.fulltext.printed_reference import printed
from citewise.ingest.fulltext.references import ReferenceList
from citewise.ingest.report import Report, SourceLocation
from citewise.text.sentences import sentence_spans

PLACE = SourceLocation("test", 1)


def marked(text: str) -> Passage:
    """Return a passage whose marks are written as <printed|target target>."""
    writer = PassageWriter()
    for number, part in enumerate(text.replace("<", ">").split(">")):
        if number % 2:
            shown, _, targets = part.partition("|")
            writer.mark(shown, targets.split())
        else:
            writer.add(part)
    return writer.passage()


def grouped(text: str, numbering: Numbering | None = None) -> list[tuple[str, str]]:
    """Return (what is printed, the targets) of the groups in a text as `marked` reads it."""
    passage = marked(text)
    found = groups(passage, numbering or Numbering())
    return [(passage.text[group.start : group.end], " ".join(group.targets)) for group in found]


def sentences(text: str) -> list[str]:
    passage = marked(text)
    found = groups(passage, Numbering())
    return [
        passage.text[start:end]
        for start, end in sentence_spans(
            passage.text, [(group.start, group.end) for group in found]
        )
    ]


TEN = [f"r{number}" for number in range(1, 11)]
SQUARE = Numbering(TEN, 1, "[")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bees dance [<3|a>, <4|b>].", [("[3, 4]", "a b")]),
        ("Bees dance <[3]|a>, <[4]|b>.", [("[3], [4]", "a b")]),
        ("Bees dance <(Uhr 1985;|a> <Wabe 1990)|b> and fly.", [("(Uhr 1985; Wabe 1990)", "a b")]),
        ("Bees dance <[3]|a> and <[4]|b>.", [("[3] and [4]", "a b")]),
        ("<Uhr (1985)|a> and <Wabe (1990)|b> agree.", [("Uhr (1985) and Wabe (1990)", "a b")]),
        ("dances <[1]|a> and flights <[2]|b>", [("[1]", "a"), ("[2]", "b")]),
        ("dances <[1]|a>. <[2]|b> disagrees", [("[1]", "a"), ("[2]", "b")]),
        ("dances (e.g., <Uhr 1985)|a>.", [("Uhr 1985", "a")]),
        ("dances (<Uhr 1985|a>, but see <Wabe 1990|b>)", [("Uhr 1985", "a"), ("Wabe 1990", "b")]),
        ("dances <(Uhr 1985|a>) often", [("(Uhr 1985)", "a")]),
        ("dances<1|a>,<2|b> often", [("1,2", "a b")]),
        ("dances <(Uhr 1985)|a> <(Wabe 1990)|b>", [("(Uhr 1985) (Wabe 1990)", "a b")]),
        ("dances <[1]|a a>", [("[1]", "a")]),
        ("dances (<Uhr 1985|a> ) often", [("(Uhr 1985 )", "a")]),
        ("a design: <design|> of <(Uhr 1985)|>", [("(Uhr 1985)", "")]),
    ],
)
def test_adjacent_marks_are_one_group(text: str, expected: list[tuple[str, str]]) -> None:
    assert grouped(text) == expected


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("x <[4]|r4>–<[6]|r6> y", ["r4 r5 r6"]),
        ("x [<4|r4>–<6|r6>] y", ["r4 r5 r6"]),
        ("x [<4-|r4><6|r6>] y", ["r4 r5 r6"]),
        ("x <[4-6]|r4> y", ["r4 r5 r6"]),
        ("x <[2, 4-6]|r4> y", ["r4 r2 r5 r6"]),
        ("x <[7]|> y", ["r7"]),
        ("x <(7)|> y", []),
        ("x <[99]|> y", []),
        ("x <[4]|r4>–<[3]|r3> y", ["r4 r3"]),
        ("x <[1]|r1>–<[9999]|r10> y", ["r1 r10"]),
    ],
)
def test_ranges_are_filled_in_and_numbers_looked_up(text: str, targets: list[str]) -> None:
    assert [found for _, found in grouped(text, SQUARE)] == targets


def test_names_and_years_are_looked_up() -> None:
    passage = marked("x <(Uhr et al., 1985; Wabe 1990)|> y <Uhr (1985)|b> z <Kara (2012)|>")
    found = groups(passage, Numbering(), {("uhr", 1985): "a", ("wabe", 1990): "c"})
    assert [group.targets for group in found] == [("a", "c"), ("b",), ()]
    (group,) = groups(
        marked("x <(Uhr, 1985; Wabe, 1990)|c>"),
        Numbering(),
        {("uhr", 1985): "a", ("wabe", 1990): "c"},
    )
    assert set(group.targets) == {"a", "c"}
    _, made = references(
        {"title": LONG, "authors": ["M. Uhr"], "year": 1985},
        {"title": "Honey", "authors": ["Wabe, O."], "year": 1990},
        {"title": "Wax", "authors": ["Wabe, O."], "year": 1990},
    )
    assert made.by_name_and_year() == {("uhr", 1985): "0"}, (
        "of two that look alike neither is taken"
    )


def test_a_document_that_does_not_cite_by_numbers_has_no_ranges() -> None:
    assert grouped("x <Uhr 1985|a>–<Wabe 1990|b>") == [("Uhr 1985–Wabe 1990", "a b")]
    assert (
        Numbering.of([marked("<Uhr (1985)|r1> <Wabe (1990)|r2> <Kara (2012)|r3> <4|>")], TEN)
        == Numbering()
    )


def test_numbering_is_learned_from_what_is_linked() -> None:
    assert Numbering.of([marked("<[1]|r1> <[2]|r2> <[5]|r5> <[7]|r9>")], TEN) == SQUARE
    assert Numbering.of([marked("<(2)|r1> <(3)|r2> <(4)|r3>")], TEN) == Numbering(TEN, 2, "(")
    assert Numbering.of([marked("<[1]|r1> <[2]|r2>")], TEN) == Numbering(), "two are too few"
    assert Numbering.of([marked("<[1]|r9> <[2]|r5> <[3]|r1> <[4]|r4>")], TEN) == Numbering(), (
        "they disagree"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bees dance <[1]|a>. They fly <[2]|b>.", ["Bees dance [1].", "They fly [2]."]),
        (
            "As Uhr et al. <[1]|a> say, bees dance. So do ants.",
            ["As Uhr et al. [1] say, bees dance.", "So do ants."],
        ),
        (
            "Fig. 3 shows it, e.g. in <(Uhr et al. 1985; Wabe et al. 1990)|a>. See Sec. 4.",
            ["Fig. 3 shows it, e.g. in (Uhr et al. 1985; Wabe et al. 1990).", "See Sec. 4."],
        ),
        (
            "Bees dance.<1,2|a> Then they fly.<3|b> Ants walk.",
            ["Bees dance.1,2", "Then they fly.3", "Ants walk."],
        ),
        (
            "Bees dance. <[4]|a> shows more. Ants walk.",
            ["Bees dance.", "[4] shows more.", "Ants walk."],
        ),
        ("Found by Uhr et al.<[1]|a> Honey was next.", ["Found by Uhr et al.[1] Honey was next."]),
        (
            "Bees <(cf. Uhr 1985. Honey. P. 3)|a> dance. Ants walk.",
            ["Bees (cf. Uhr 1985. Honey. P. 3) dance.", "Ants walk."],
        ),
        ("Levels were low.Many <[1]|a> bees died.", ["Levels were low.", "Many [1] bees died."]),
        (
            "It was HCC. <5, 15|a> In addition, bees fly. <[7]|b>",
            ["It was HCC. 5, 15", "In addition, bees fly. [7]"],
        ),
        (
            "Bees do such tasks. <[Cohan2019StructuralSF]|a> find it.",
            ["Bees do such tasks.", "[Cohan2019StructuralSF] find it."],
        ),
        (
            "See <Uhr 1985.|a> Bees fly. Then $x_1 = 3. Then!$ holds <[1]|b>.",
            ["See Uhr 1985.", "Bees fly.", "Then $x_1 = 3. Then!$ holds [1]."],
        ),
        (
            "It is so. <(Uhr, 1985; Wabe, 1990)|a>. However, no.",
            ["It is so. (Uhr, 1985; Wabe, 1990).", "However, no."],
        ),
        (
            "It is known <[1]|a>.1 The code.12 Bees fly.",
            ["It is known [1].1", "The code.12", "Bees fly."],
        ),
        ("It is known <[1]|a> .The bees fly on.", ["It is known [1] .", "The bees fly on."]),
        ("", []),
        ("   ", []),
        ("<[1]|a>", ["[1]"]),
    ],
)
def test_sentences_end_neither_in_a_group_nor_after_an_abbreviation(
    text: str, expected: list[str]
) -> None:
    assert sentences(text) == expected


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8"), max_size=30),
            st.text("[](){}0123456789-–, ;.aXand", max_size=9),
        ),
        max_size=8,
    )
)
def test_groups_lie_within_sentences_whatever_the_text(parts: list[tuple[str, str]]) -> None:
    writer = PassageWriter()
    for number, (text, printed_mark) in enumerate(parts):
        writer.add(text)
        writer.mark(printed_mark, [TEN[number]])
    passage = writer.passage()
    for mark in passage.marks:
        marked = passage.text[mark.start : mark.end]
        assert marked.strip() == marked != ""
    found = groups(passage, SQUARE)
    spans = sentence_spans(passage.text, [(group.start, group.end) for group in found])
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    assert "".join(passage.text[slice(*span)] for span in spans).replace(
        " ", ""
    ) == passage.text.replace(" ", "")
    for group in found:
        assert passage.text[group.start : group.end].strip()
        assert sum(start <= group.start and group.end <= end for start, end in spans) == 1


def test_spans_that_overlap_or_lie_outside_are_left_out() -> None:
    passage = from_spans(
        "Bees  dance [1] and\nfly [2].",
        [(12, 15, "a"), (13, 15, "b"), (24, 27, "c"), (24, 99, "d"), (-3, 2, "e")],
    )
    assert passage == Passage(
        "Bees dance [1] and fly [2].", (Mark(11, 14, ("a",)), Mark(23, 26, ("c",)))
    )


def references(*entries: Mapping[str, object]) -> tuple[list[str], ReferenceList]:
    made = ReferenceList.of(
        [(str(number), raw) for number, raw in enumerate(entries)], Cleaner(Report()), PLACE
    )
    return [made.keys.get(str(number), "") for number in range(len(entries))], made


LONG = "The dance language and orientation of bees"


def test_the_same_reference_has_the_same_id_everywhere() -> None:
    ids, made = references(
        {"title": LONG, "authors": ["Karl von Frisch"], "year": 1967},
        {"title": f"{LONG.upper()}.", "authors": ["Frisch, K."]},
        {"title": "Swarms", "authors": ["Kara, Deniz"], "year": "2012"},
        {"title": "Swarms", "authors": ["Robin Mason"], "year": "2011a"},
        {"title": "Swarms", "year": "2011a"},
        {"title": "x", "ids": {"doi": "10.1000/ABC", "pmid": "7"}},
        {"title": "y", "ids": ["https://doi.org/10.1000/abc"]},
        {"title": "y", "ids": {"doi": "none"}},
    )
    key = "title:thedancelanguageandorientationofbees:frisch"
    swarms = ["title:swarms:kara:2012", "title:swarms:mason:2011", ""]
    assert ids == [key, key, *swarms, "doi:10.1000/abc", "doi:10.1000/abc", ""]
    assert len(made.papers) == 4
    assert made.papers["doi:10.1000/abc"].ids == ("pmid:7",)


def test_a_reference_without_a_title_is_called_by_what_it_prints() -> None:
    ids, made = references(
        {"printed": "Uhr M. J. Rhythm 3, 12 (1985)"},
        {"year": 1985},
        {},
        {"authors": ["Mina Uhr"], "year": 1985, "venue": "J. Rhythm", "details": {"volume": "3"}},
    )
    assert ids[1:3] == ["", ""]
    assert [paper.title for paper in made.papers.values()] == [
        "Uhr M. J. Rhythm 3, 12 (1985)",
        "Mina Uhr, 1985, J. Rhythm, 3",
    ]
    assert made.names == ["0", "1", "2", "3"], "numbers count entries that say nothing"


def test_long_titles_do_not_make_long_ids() -> None:
    (key,), _ = references({"title": "bees " * 150})
    assert len(key) <= 300


@pytest.mark.parametrize(
    ("text", "title", "year", "ids", "first"),
    [
        (
            "M. Uhr, O. Wabe, and D. Kara. On the dynamics of bees under stress. "
            "Annals of Apiculture, 162:1–22, 2022.",
            "On the dynamics of bees under stress",
            "2022",
            {},
            "M. Uhr",
        ),
        (
            "Uhr, M. & Wabe, O. (2019). Clocks in the brains of bees. "
            "Journal of Rhythm, 3, 12. doi:10.1000/xyz.3.",
            "Clocks in the brains of bees",
            "2019",
            {"doi": "doi:10.1000/xyz.3"},
            "Uhr, M",
        ),
        (
            "D. Kara, “Swarms that build walls,” in Proc. Swarms, 2012, arXiv:1203.00002v2.",
            "Swarms that build walls",
            "2012",
            {"arxiv": "arxiv:1203.00002"},
            "D. Kara",
        ),
        ("H. Biene, Phys. Rev. B 416, 647 (1993).", "", "1993", {}, "H. Biene"),
        (
            "Biene H, Uhr M. Theory of Simple Hives With Applications to Honey. "
            "Academic Press; 2013.",
            "Theory of Simple Hives With Applications to Honey",
            "2013",
            {},
            "Biene H",
        ),
        (
            "Biene, H., Uhr, M.: The hive hypothesis: finding sparse bees. In: Swarms (2018)",
            "The hive hypothesis: finding sparse bees",
            "2018",
            {},
            "Biene, H",
        ),
        ("", "", None, {}, ""),
    ],
)
def test_what_a_printed_reference_says(
    text: str, title: str, year: str | None, ids: dict[str, str], first: str
) -> None:
    raw = printed(text)
    assert (raw["title"], raw["year"]) == (title, year)
    assert {name: value for name, value in raw["ids"].items() if value} == ids
    assert (raw["authors"] or [""])[0] == first


@given(st.text(max_size=300))
def test_any_printed_reference_can_be_read(text: str) -> None:
    references(printed(text))

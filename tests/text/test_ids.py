"""Identity: every spelling of an id is one key, a key is its own key, and titles and names fold as
they should.
"""

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citewise.text import ids

SPELLINGS = {
    "doi:10.1145/1390334.1390416": [
        "10.1145/1390334.1390416",
        "doi:10.1145/1390334.1390416",
        "DOI: 10.1145/1390334.1390416",
        "https://doi.org/10.1145/1390334.1390416",
        "http://dx.doi.org/10.1145/1390334.1390416",
        "doi.org/10.1145/1390334.1390416",
        "  10.1145/1390334.1390416 ",
        "10.1145/1390334.1390416.",
    ],
    "doi:10.1016/s0140-6736(20)30183-5": [
        "10.1016/S0140-6736(20)30183-5",
        "https://doi.org/10.1016/S0140-6736%2820%2930183-5",
    ],
    "arxiv:1706.03762": [
        "1706.03762",
        "arXiv:1706.03762",
        "arxiv: 1706.03762",
        "1706.03762v5",
        "arXiv:1706.03762v1",
        "https://arxiv.org/abs/1706.03762",
        "http://arxiv.org/abs/1706.03762v2",
        "arxiv.org/pdf/1706.03762",
        "https://arxiv.org/pdf/1706.03762v5.pdf",
        "https://export.arxiv.org/abs/1706.03762",
        "10.48550/arXiv.1706.03762",
        "https://doi.org/10.48550/arXiv.1706.03762",
        "doi:10.48550/ARXIV.1706.03762v3",
    ],
    "arxiv:hep-th/9901001": [
        "hep-th/9901001",
        "arXiv:hep-th/9901001v2",
        "https://arxiv.org/abs/hep-th/9901001",
    ],
    "arxiv:math.gt/0309136": ["math.GT/0309136", "arXiv:math.GT/0309136"],
    "openalex:W2741809807": [
        "W2741809807",
        "w2741809807",
        "openalex:W2741809807",
        "https://openalex.org/W2741809807",
        "https://api.openalex.org/works/W2741809807",
        "openalex.org/works/w2741809807",
    ],
    "s2:13756489": [
        "s2:13756489",
        "CorpusID:13756489",
        "corpusid:13756489",
        "S2CID:13756489",
        "https://api.semanticscholar.org/CorpusID:13756489",
    ],
    "s2:204e3073870fae3d05bcbc2f6a8e263d9b72e776": [
        "204e3073870fae3d05bcbc2f6a8e263d9b72e776",
        "204E3073870FAE3D05BCBC2F6A8E263D9B72E776",
        "https://www.semanticscholar.org/paper/204e3073870fae3d05bcbc2f6a8e263d9b72e776",
        "https://www.semanticscholar.org/paper/Attention-is-All-you-Need/204e3073870fae3d05bcbc2f6a8e263d9b72e776",
    ],
    "pmid:19872477": [
        "PMID:19872477",
        "pmid: 19872477",
        "MEDLINE:19872477",
        "https://pubmed.ncbi.nlm.nih.gov/19872477/",
        "https://www.ncbi.nlm.nih.gov/pubmed/19872477",
    ],
    "pmcid:PMC1539093": [
        "PMC1539093",
        "pmcid:PMC1539093",
        "pmc1539093",
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1539093/",
    ],
    "acl:P18-1001": [
        "acl:P18-1001",
        "ACL:p18-1001",
        "https://aclanthology.org/P18-1001/",
        "https://www.aclanthology.org/P18-1001",
    ],
    "acl:2020.acl-main.447": [
        "ACL:2020.acl-main.447",
        "https://aclanthology.org/2020.acl-main.447",
    ],
    "dblp:conf/nips/VaswaniSPUJGKP17": [
        "DBLP:conf/nips/VaswaniSPUJGKP17",
        "https://dblp.org/rec/conf/nips/VaswaniSPUJGKP17",
    ],
    "mag:2963403868": ["MAG:2963403868", "mag:2963403868"],
}

IDS = st.one_of(
    st.sampled_from([spelling for spellings in SPELLINGS.values() for spelling in spellings]),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(
            ["", "doi:", "DOI: ", "https://doi.org/", "arXiv:", "s2:", "acl:", "pmid:"]
        ),
        st.sampled_from(
            ["", "10.1000/", "10.48550/arXiv.", "1706.03762", "W12345", "hep-th/9901001", "PMC12"]
        ),
        st.text(string.ascii_letters + string.digits + ".,;:/()-_ v%", max_size=12),
    ),
    st.text(max_size=30),
)


@pytest.mark.parametrize(
    ("name", "spelling"), [(name, each) for name, all_ in SPELLINGS.items() for each in all_]
)
def test_every_spelling_is_one_key(name: str, spelling: str) -> None:
    assert ids.key(spelling) == name
    assert ids.key(name) == name
    assert ids.scheme_of(name) == name.partition(":")[0]


@pytest.mark.parametrize(
    ("value", "scheme", "name"),
    [
        ("10.1000/X", "doi", "doi:10.1000/x"),
        ("https://doi.org/10.1000/X", "doi", "doi:10.1000/x"),
        ("doi:10.1000/X", "doi", "doi:10.1000/x"),
        ("19872477", "pmid", "pmid:19872477"),
        ("1539093", "mag", "mag:1539093"),
        ("13756489", "s2", "s2:13756489"),
        ("1706.03762v2", "arxiv", "arxiv:1706.03762"),
        ("P18-1001", "acl", "acl:P18-1001"),
        ("conf/x/Y1", "dblp", "dblp:conf/x/Y1"),
    ],
)
def test_a_bare_value_with_its_scheme(value: str, scheme: str, name: str) -> None:
    assert ids.key(value, scheme) == name


@given(IDS)
@example("10.1000/a%2525b")  # a percent sign that is itself escaped
@example("10.1000/a%20%20b")
@example("10.1000/%00")
@example("10.48550/arXiv.1706.03762v1v2")
def test_a_key_is_its_own_key(text: str) -> None:
    assert ids.key(ids.key(text)) == ids.key(text)


@pytest.mark.parametrize(
    "own",
    [
        "vaswani2017attention",
        "p12",
        "12345",
        "B000W12345",
        "smith:2015",
        "title:attention",
        "bib:knuth84",
        "bio/1234",
        "My Own ID",
        "10.5",
        "doi",
        "arXiv",
        "report 10.1000",
        "urn:isbn:0451450523",
        "x~2",
        "Ünïcode",
        "10.1000",
    ],
)
def test_an_id_of_the_users_own_stays_as_it_is(own: str) -> None:
    assert ids.key(own) == own
    assert ids.scheme_of(own) == ""


@given(st.from_regex(r"10\.[0-9]{4,9}/[a-z0-9()/._;-]{1,20}", fullmatch=True))
@example("10.48550/arxiv.1706.03762")
@example("10.1000/x.")
def test_the_short_cut_for_dois_is_right(doi: str) -> None:
    assert ids.key(f"doi:{doi}") == ids.key(f"https://doi.org/{doi}")


@given(
    st.from_regex(r"[0-9]{4}\.[a-z0-9-]{1,12}\.[0-9]{1,4}|[A-Z][0-9]{2}-[0-9]{4}", fullmatch=True)
)
def test_the_short_cut_for_the_acl_anthology_is_right(name: str) -> None:
    assert ids.key(f"acl:{name}") == ids.key(f"https://aclanthology.org/{name}/")


def test_white_space_around_and_within_is_folded() -> None:
    assert ids.key("  my \n own\tid ") == "my own id"


@given(st.lists(st.text(max_size=20), max_size=5))
def test_many_digests_are_the_single_ones(names: list[str]) -> None:
    assert ids.digests(names).tolist() == [ids.digest(name) for name in names]


def test_a_digest_is_the_same_everywhere() -> None:
    # printf doi:10.1000/x | b2sum -l 64 gives the same eight bytes
    assert ids.digest("doi:10.1000/x").to_bytes(8, "little").hex() == "a7f629ac2ddb38c2"
    assert ids.digest("\ud800") != ids.digest("")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Attention Is All You Need", "attention is all you need."),
        ("Naïve Bayes: a study", "Naive Bayes -- A Study"),
        ("Graph-based methods", "Graph based methods"),
        ("Graph-based methods", "Graphbased methods"),
        ("“Quoted” title", "Quoted title"),
        ("Straße der Bienen", "STRASSE DER BIENEN"),
        ("snake_case names", "snake case names"),
        ("α-helices", "Α-Helices"),
    ],
)
def test_versions_of_a_title_share_their_key(one: str, other: str) -> None:
    assert ids.title_key(one) == ids.title_key(other) != ""


@given(st.text(st.characters(max_codepoint=127), max_size=50))
def test_the_short_cut_for_ascii_titles_is_right(title: str) -> None:
    assert (
        ids.title_key(title)
        == "".join(ids.title_words(title))
        == ids.title_key(title + "é").removesuffix("e")
    )


def test_titles_without_letters_have_an_empty_key() -> None:
    assert ids.title_key("—!? …") == ids.title_key("?!") == ids.title_key("") == ""


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("a b c", "c b a", 1),
        ("a b c d", "a b c e", 3 / 5),
        ("a a a b", "A B", 1),
        ("a", "b", 0),
        ("", "", 0),
        ("", "a", 0),
        ("Deep learning", "Deep, learning!", 1),
        ("x-ray", "x ray", 1),
    ],
)
def test_jaccard(one: str, other: str, alike: float) -> None:
    assert ids.jaccard(one, other) == ids.jaccard(other, one) == alike


@given(st.text(max_size=40), st.text(max_size=40))
def test_jaccard_is_a_symmetric_share(one: str, other: str) -> None:
    assert 0 <= ids.jaccard(one, other) == ids.jaccard(other, one) <= 1
    assert ids.jaccard(one, one) == (1 if ids.title_words(one) else 0)


@pytest.mark.parametrize(
    ("author", "family"),
    [
        ("Xin Luna Dong", "dong"),
        ("Dong, Xin Luna", "dong"),
        ("DONG X. L.", "l"),
        ("Ludwig van Beethoven", "beethoven"),
        ("van Beethoven, Ludwig", "beethoven"),
        ("Müller", "muller"),
        ("Łukasz Kaiser", "kaiser"),
        ("", ""),
        (", X", ""),
        ("Jean-Paul Sartre", "sartre"),
        ("García Márquez, Gabriel", "marquez"),
    ],
)
def test_surname(author: str, family: str) -> None:
    assert ids.surname(author) == family


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Xin Luna Dong", "Dong, Xin Luna", True),
        ("X. L. Dong", "Dong, Xin Luna", True),
        ("XL Dong", "Xin Luna Dong", True),
        ("Dong, X.", "Xin Luna Dong", True),
        ("Dong", "Xin Luna Dong", True),
        ("Xin Dong", "Xiao Dong", False),
        ("José García", "Jose Garcia", True),
        ("Jose\u0301 García", "J. Garcia", True),
        ("Jan Novák", "Jan Novakova", False),
        ("Jean-Pierre Serre", "J.-P. Serre", True),
        ("Jean-Pierre Serre", "J.-M. Serre", False),
        ("Søren Kierkegaard", "S. Kierkegaard", True),
        ("Mathieu d'Aquin", "d'Aquin, Mathieu", True),
        ("", "", False),
        ("Wei Wang", "Wang, W.", True),
        ("Wei Wang", "Wei Wan", False),
        ("Ralf M Haefner", "R. Haefner", True),
        (",", ",", False),
        ("Vincent van Gogh", "van Gogh, V.", True),
        ("王伟", "王伟", True),
    ],
)
def test_spellings_of_a_person(one: str, other: str, same: bool) -> None:
    assert ids.same_person(one, other) is ids.same_person(other, one) is same

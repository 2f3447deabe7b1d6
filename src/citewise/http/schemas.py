"""What clients send, as the OpenAPI document describes it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from citewise import systems

Id = Annotated[str, Field(max_length=2_000)]
Year = Annotated[int, Field(ge=1, le=9_999)]

_TITLE = "Learning to rank citations for scientific drafts"
_ABSTRACT = "We recommend papers that a draft should cite, by features of the citation graph."
_SENTENCE = "Attention lets a decoder look at every word of the source sentence."


class Asked(BaseModel):
    """The base of all requests: a field of another name or type is refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class ReadRequest(Asked):
    """A draft to be read: plain text, Markdown or LaTeX."""

    text: str = Field(description="The draft.", examples=[f"{_TITLE}\n\nAbstract. {_ABSTRACT}"])


class DraftFields(Asked):
    """What a query says about a draft."""

    title: str = Field("", description="The draft's title.", examples=[_TITLE])
    abstract: str = Field("", description="The draft's abstract.", examples=[_ABSTRACT])
    year: Year | None = Field(
        None, description="Answer as of this year: papers up to it, citations made before it."
    )
    since: Year | None = Field(None, description="Only papers of this year and later.")
    cited: list[Id] = Field([], description="Ids of papers that the draft cites already.")
    explain: bool = Field(False, description="Say why each paper is recommended.")


class RecommendRequest(DraftFields):
    """A draft that needs papers to cite."""

    text: str = Field("", description="The draft itself, pasted: plain text, Markdown or LaTeX.")
    k: int = Field(20, ge=1, description="How many papers.")
    system: str = Field(systems.DEFAULT, max_length=500, examples=["best"])
    hidden: list[Id] = Field([], description="Ids of other versions of the draft; left out.")
    authors: list[Id] = Field([], description="The draft's authors.")
    evidence: int = Field(0, ge=0, le=100, description="Sentences that cite each paper.")
    preferences: dict[str, bool | float] = Field(
        {}, description="Preferences by name; see /v1/systems.", examples=[{"prefer_recent": 0.3}]
    )


class CiteRequest(DraftFields):
    """A sentence or a mention that needs citations."""

    sentence: str = Field(description="The sentence.", examples=[_SENTENCE])
    k: int = Field(5, ge=1, description="How many papers.")
    system: str = Field(systems.FOR_SENTENCES, max_length=500, examples=["evidence"])
    evidence: int = Field(2, ge=0, le=100, description="Sentences that cite each paper.")


class PassageRequest(Asked):
    """A passage of a draft whose sentences may want citations."""

    text: str = Field(description="The passage.", examples=[f"{_SENTENCE} We follow them [1]."])
    title: str = Field("", description="The draft's title.")
    abstract: str = Field("", description="The draft's abstract.")
    k: int = Field(0, ge=0, description="Papers a sentence; 0 only marks the sentences.")


class MapRequest(Asked):
    """Papers to be laid out on a map."""

    recommended: list[Id] = Field([], description="Ids of recommended papers.")
    basket: list[Id] = Field([], description="Ids of papers in the basket.")
    cited: list[Id] = Field([], description="Ids of papers that the draft cites.")


class BibliographyRequest(Asked):
    """Papers to be written as a bibliography."""

    ids: list[Id] = Field(description="Ids of the papers, in the order of the bibliography.")
    format: Literal["bibtex", "ris", "csl", "markdown", "list", "ieee", "vancouver"] | None = Field(
        None,
        description="The format; without it, the header Accept decides. `list` (in the manner of "
        "APA), `ieee` and `vancouver` are formatted references.",
    )


class SampleRequest(Asked):
    """Asks for the sample library."""

    sample: Literal[True]


class AskedQuery(Asked):
    """The query to which a paper was an answer."""

    title: str = ""
    abstract: str = ""
    sentence: str = ""
    year: Year | None = None
    since: Year | None = None
    cited: list[Id] = []
    hidden: list[Id] = []
    authors: list[Id] = []
    preferences: dict[str, bool | float] = {}


class FeedbackRequest(Asked):
    """What the user says about an answer."""

    paper: Id = Field(description="The paper's id.")
    verdict: Literal["accepted", "rejected", "cleared"]
    query: AskedQuery | None = None
    rank: int | None = Field(None, ge=1)

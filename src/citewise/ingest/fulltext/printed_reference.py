"""Turn a printed reference into a raw record: ids and year by form, title by position."""

import re

from citewise.ingest.clean import Raw
from citewise.ingest.keys import registry_key

LONGEST = 3_000
"""Characters of a printed reference that are read."""

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`]+")
_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf)/|\s*(?:preprint\s*)?(?:arxiv)?\s*[:.]?\s*(?:e-prints\s*)?)"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})",
    re.IGNORECASE,
)
_ARXIV_NUMBER = re.compile(r"\babs/(\d{4}\.\d{4,5})\b")
_YEAR = re.compile(r"(?<![\d.:/-])(?:1[89]|20)\d\d(?=[a-z]?\b)(?![-–]\d)")
_QUOTED = re.compile(r"[“\"„]\s*([^“”\"„]{10,400}?)[,.]?\s*[”\"]|‘([^‘’]{15,400}?)[,.]?’(?!\w)")
_COLON = re.compile(r"(?<=[A-ZÀ-Þ]\.):\s+")
_PART = re.compile(
    r"(?<=[.?!])\s+(?=[A-Z0-9“\"‘(\[{À-Þ])|(?<=\d\))[.,:]\s+|(?<=(?<!\w)\d{4})[.,:]\s+"
)
_INITIAL = re.compile(
    r"(?:^|[\s,.-])[A-ZÀ-Þ]\.$"
    r"|\b(?:et al|eds?|Jr|Sr|St|vol|no|pp|Proc|Conf|Int|Trans|J|Rev|Lett|Phys)\.$"
)

# Names as medical journals print them: "Mason R, Satz P."
_MEDICAL = re.compile(
    r"(?:[A-ZÀ-Þ][\w'’-]+ (?:[A-ZÀ-Þ][\w'’-]+ )?[A-ZÀ-Þ]{1,3}(?:, (?:et al)?|\.))+"
)
_NAME = re.compile(
    r"(?:[A-ZÀ-Þ][\w'’-]*\.?|de|la|van|von|der|den|du|di|da|and|et|al\.?|&|,|;|\([^()]*\)|\d{4}[a-z]?)"
)
_NO_TITLE = re.compile(r"^\W*\d|doi|https?:|10\.\d{4}/|^pp?\.|^[Nn]o\.|^[Vv]ol")
_BETWEEN = re.compile(
    r"\s*;\s*|\s*,?\s+(?:and|&)\s+|,\s+(?=[A-ZÀ-Þ][\w'’-]{2,}|[A-ZÀ-Þ]\.\s?(?:[A-ZÀ-Þ]\.\s?)*[A-ZÀ-Þ]\w)"
)
_INITIALS = re.compile(r"\b[A-ZÀ-Þ]\.")
_WORD = re.compile(r"[^\W\d_]{2,}")
_VENUE = re.compile(
    r"(?:In\b|in:|Proceedings|Journal|Trans(?:actions|\.)|Advances in|arXiv|CoRR|PhD"
    r"|Technical report|https?:|doi|Springer|Elsevier|Available|Phys\.|URL\b|Nature\b|Science\b)",
    re.IGNORECASE,
)


def printed(text: str) -> Raw:
    """Return the raw record of a printed reference; its text is the field `printed`."""
    text = " ".join(text[:LONGEST].split())
    years = _YEAR.findall(_ARXIV.sub(" ", text))

    return {
        "printed": text,
        "ids": _ids(text),
        "title": _title(text),
        "authors": _authors(text),
        "year": years[-1] if years else None,
    }


def _ids(text: str) -> dict[str, str]:
    doi, arxiv = _DOI.search(text), _ARXIV.search(text) or _ARXIV_NUMBER.search(text)
    return {
        "doi": registry_key(doi[0].rstrip(".,;)]"), "doi") if doi else "",
        "arxiv": registry_key(arxiv[1], "arxiv") if arxiv else "",
    }


def _title(text: str) -> str:
    """Return the title of a printed reference, or "".

    That is what is in quotation marks, else the first part between full stops, or then between
    commas, that looks like a title. A title whose words are all capitalised looks like names: where
    nothing else is found, it is the first part after the names that has words and no initials.
    """
    quoted = _QUOTED.search(text)
    if quoted:
        return (quoted[1] or quoted[2]).strip(" .,")

    parts = parts_of(text)
    between_stops = (
        part
        for index, part in enumerate(parts)
        if _is_title(part, first=index == 0)
        or (index == 1 and _MEDICAL.fullmatch(parts[0]) and len(_WORD.findall(part)) > 2)
    )
    between_commas = (
        part
        for part in text.split(", ")
        if len(_WORD.findall(part)) > 3
        and _is_title(part, first=True)
        and sum(word[0].islower() for word in part.split()) * 2 >= len(part.split())
    )
    capitalised = (part for part in parts[1:] if _is_worded(part) and not _INITIALS.search(part))
    found = next(between_stops, "") or next(between_commas, "") or next(capitalised, "")
    return found.strip(" .,;:")


def parts_of(text: str) -> list[str]:
    """Return the parts of a printed reference between full stops, except those of abbreviations."""
    *names, rest = _COLON.split(text)
    parts: list[str] = names
    for number, piece in enumerate(_PART.split(rest)):
        if number and _INITIAL.search(parts[-1]) and not _MEDICAL.fullmatch(parts[-1]):
            parts[-1] += " " + piece
        else:
            parts.append(piece)
    return parts


def _is_title(part: str, first: bool) -> bool:
    """Return whether a part of a reference looks like a title: words, no venue, few names."""
    words = part.split()
    if not _is_worded(part):
        return False

    names = sum(bool(_NAME.fullmatch(word.strip(",;"))) for word in words)
    return names < (0.5 if first else 0.75) * len(words) and (not first or part.count(",") < 3)


def _is_worded(part: str) -> bool:
    """Return whether a part of a reference has at least three words, and is no venue."""
    words, real_words = len(part.split()), len(_WORD.findall(part))
    if len(part) > 400 or real_words < 3 or words > 2 * real_words:
        return False
    return not _VENUE.match(part) and not _NO_TITLE.search(part)


def _authors(text: str) -> list[str]:
    """Return the authors before the title or year of a reference, often only the first ones."""
    head = parts_of(text)[0] if text else ""
    head = re.split(r"\(?\b(?:1[89]|20)\d\d|[“\"„]", head)[0]
    if "," not in head and " and " not in head and len(head.split()) > 4:
        return []

    names = [name.strip(" ,.;:").removeprefix("and ") for name in _BETWEEN.split(head)]
    return [
        name
        for name in names
        if 1 < len(name) <= 40
        and 1 <= len(name.split()) <= 5
        and name[0].isupper()
        and not any(map(str.isdigit, name))
    ][:50]

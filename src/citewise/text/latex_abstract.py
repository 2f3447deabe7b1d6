"""Find the abstract of a LaTeX document: an environment, a command, or a section of that name."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citewise.text.tex_commands import Commands, group, plain_text

LONGEST_ABSTRACT = 50_000
"""Characters of an abstract's source that are converted; the rest is dropped."""

MOST_ABSTRACTS = 8
"""Abstracts of a document that are compared: in several languages, of several chapters."""

EARLY = 5_000
"""Characters from the beginning in which a section may be the abstract, however short the text."""

SAMPLE = 200_000
"""Characters of a document from which its language is told."""

FREQUENT = 60
FEWEST_TIMES = 5
"""Frequent words of a document that tell its language, and how often they occur at least."""

# What an abstract is called, in LaTeX's names and as a heading.
_NAME = (
    r"(?:abstract|zusammenfassung|kurzfassung|kurzzusammenfassung|resum(?:e|o|en|ee)|sammanfattning"
    r"|samenvatting|tiivistelma|streszczenie|riassunto|sommario|ozet|sammendrag|resume|abstrakt"
    r"|anotace|souhrn|rezumat|laburpena)"
)
_HEADING = (
    r"(?:(?:extended |general |thesis |english |executive )?(?:abstract|summary)|zusammenfassung"
    r"|kurz(?:zusammen)?fassung|r[ée]sum[ée]|resumen|resumo|resum|samenvatting|tiivistelm[äa]"
    r"|sammanfattning|sammendrag|streszczenie|riassunto|sommario|abstrakt|anotace|souhrn|rezumat"
    r"|[öo]zet(?:çe)?|аннотация|реферат|анотація|περίληψη|摘\s*要|要旨|概要|초록|ملخص"
    r"|abstract (?:in|of)[^{}]{0,40})"
)
_ACKNOWLEDGEMENTS = re.compile(
    r"\W*(?:acknowledge?ments?|agradecimientos?|agradecimentos?|danksagung|remerciements|dankwoord"
    r"|ringraziamenti|dedication|dedicatoria|declaration|preface|vorwort|keywords|te[sş]ekk[üu]r"
    r"|tack|kiitokset)\b",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\W*(?:to[ -]?do\b.{0,80}|tbd|tba|xxx+|fixme|\.{3,}|lorem ipsum.*"
    r"|(?:your |the |insert |put |write |type )*"
    r"abstract(?: (?:text|goes|here|in|of|your|should|must|is|about)\b.{0,200})?"
    r"|(?:here|hier|aqu[ií])\b.{0,30}\babstract\b.{0,80}|abstract)\W*",
    re.IGNORECASE | re.DOTALL,
)
_LOREM = re.compile(
    r"\blorem ipsum dolor sit amet\b|\\lipsum|\\blindtext|\\Blindtext", re.IGNORECASE
)

_OPTION = r"(?:\s{0,9}\[([^][]{0,300})\])?"
_BEGIN = re.compile(
    rf"\\begin\s{{0,9}}\{{([A-Za-z@]{{0,20}}{_NAME}[A-Za-z]{{0,20}}\*?)\}}{_OPTION}", re.IGNORECASE
)
_COMMAND = re.compile(
    rf"\\([A-Za-z]{{0,20}}{_NAME}(?:s|en|eng|english|text|de|fr|es)?|{_NAME}){_OPTION}\s{{0,9}}(?=\{{)",
    re.IGNORECASE,
)
_OWN_COMMAND = re.compile(rf"[A-Za-z]{{0,20}}{_NAME}[A-Za-z]{{0,20}}", re.IGNORECASE)
_NOT_AN_ABSTRACT = re.compile(
    r"name|title|page|font|skip|head|toc|true|false|graphic|width|size", re.IGNORECASE
)
_SECTION = re.compile(
    rf"\\(?:[A-Za-z]{{0,30}}(?:section|chapter|chap|sec|heading|preface|part|title)[A-Za-z]{{0,10}}|paragraph)\*?"
    rf"{_OPTION}\s{{0,9}}\{{[^{{}}\w]{{0,20}}(?:\\[A-Za-z]{{1,20}}\s?)?\{{?\s{{0,9}}({_HEADING})\s{{0,9}}[.:]?\s{{0,9}}\}}{{1,3}}",
    re.IGNORECASE,
)

# "{\Large\bf Abstract}", "\textbf{Abstract.}", "\centerline{ABSTRACT}"
_PRINTED = re.compile(
    rf"\\(?:bf(?:series)?|textbf|large|Large|LARGE|huge|centerline|textsc|scshape|em|emph|it)\b[\s{{]{{0,9}}"
    rf"(?:\\[A-Za-z]{{2,12}}\s{{0,5}}\{{?){{0,3}}\s{{0,9}}({_HEADING})\s{{0,5}}[.:—-]{{0,3}}\s{{0,9}}(?:\\\\|\}})",
    re.IGNORECASE,
)
_SECTION_END = re.compile(
    r"\\(?:section|chapter|part|addchap|addsec|prefacesection|paragraph|subsection|begin\s*\{thebibliography"
    r"|bibliography|end\s*\{document|tableofcontents|listof|mainmatter|keywords|printbibliography"
    r"|[A-Za-z]{1,20}(?:section|chapter)\*?\s{0,9}\{)|\Z"
)
_PAGE_END = re.compile(r"\\(?:clearpage|cleardoublepage|newpage|pagebreak|end\s*\{otherlanguage)")
_KEYWORDS = re.compile(
    r"\\(?:textbf|emph|textit|noindent|bf|paragraph\*?|begin)?\s{0,9}\{?\s{0,9}\\?(?:key\s?words"
    r"|index terms"
    r"|schlagw[öo]rter|stichworte|palabras clave|palavras[ -]chave|mots[ -]cl[ée]s"
    r"|trefwoorden|avainsanat)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[㐀-鿿]|[^\W\d_]+")
_RENAMED = re.compile(r"\\(?:abstractname)\s{0,9}\}?\s{0,9}\{([^{}]{0,200})\}")

_PLAIN = re.compile(r"abstracts?\*?", re.IGNORECASE)
_INTRODUCTION = re.compile(
    r"\\(?:section|chapter)\*?\s{0,9}(?:\[[^][]{0,200}\])?\s{0,9}\{[^{}]{0,30}(?:introduc|einleit|inleid"
    r"|johdanto|inledning|giri[sş]|введение|引言|绪论)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Found:
    """An abstract's source, and what it is called."""

    name: str
    source: str
    is_plain: bool = False
    """Whether LaTeX's own word is used, `abstract`."""


def abstract_of(body: str, commands: Commands) -> tuple[str, bool]:
    """Return the abstract of a LaTeX document as text, and whether a placeholder was in its place.

    Of several of one kind, it is the one in the language of the text, else the first.
    """
    had_placeholder = False
    for kind in _kinds(body, commands):
        texts: list[str] = []
        for found in itertools.islice(kind, MOST_ABSTRACTS):
            text = "" if _ACKNOWLEDGEMENTS.match(found.name) else _text(found.source, commands)
            is_placeholder = _PLACEHOLDER.fullmatch(text) or _LOREM.search(found.source)
            had_placeholder |= bool(text and is_placeholder)
            if text and not is_placeholder:
                texts.append(text)
        if texts:
            return _in_language_of(body, texts), had_placeholder
    return "", had_placeholder


def _kinds(body: str, commands: Commands) -> Iterator[Iterable[_Found]]:
    """Yield the abstracts of a document, the surest kind first.

    A section that is called a summary is an abstract where it comes before the text.
    """
    both = [*_environments(body), *_arguments(body)]
    yield [found for found in both if found.is_plain]
    yield [found for found in both if not found.is_plain]
    yield _sections(body, _SECTION)
    yield (
        _Found(name, source)
        for name, (count, _, source) in commands.items()
        if count == 0
        and len(source.split()) > 20
        and _OWN_COMMAND.fullmatch(name)
        and not _NOT_AN_ABSTRACT.search(name)
    )
    yield _sections(body, _PRINTED)


def _environments(body: str) -> Iterator[_Found]:
    for match in itertools.islice(_BEGIN.finditer(body), MOST_ABSTRACTS):
        closing = rf"\end{{{match[1]}}}"
        end = body.find(closing, match.end(), match.end() + LONGEST_ABSTRACT)
        if end >= 0:
            renamed = _RENAMED.findall(body[max(match.start() - 500, 0) : match.start()])
            name = (renamed or [match[2] or match[1]])[-1]
            source = body[match.end() : end]
            heading = _SECTION_TITLE.match(source)
            is_plain = _PLAIN.fullmatch(match[1]) is not None
            yield _Found(heading[1] if heading else name, source, is_plain)


_SECTION_TITLE = re.compile(r"\s*\\(?:section|chapter)\*?\s{0,9}\{([^{}]{0,200})\}")


def _arguments(body: str) -> Iterator[_Found]:
    r"""Yield the arguments of abstract commands.

    Journals with structured abstracts give several: context, aims, methods, results.
    """
    for match in itertools.islice(_COMMAND.finditer(body), MOST_ABSTRACTS):
        if _NOT_AN_ABSTRACT.search(match[1]):
            continue
        parts: list[str] = []
        position = match.end()
        while argument := group(body, position):
            parts.append(argument[0])
            position = argument[1]
        is_plain = _PLAIN.fullmatch(match[1]) is not None
        yield _Found(match[2] or match[1], "\n\n".join(parts), is_plain)


def _sections(body: str, heading: re.Pattern[str]) -> Iterator[_Found]:
    introduction = _INTRODUCTION.search(body)
    last = max(introduction.start() if introduction else 0, len(body) // 4, EARLY)
    for match in itertools.islice(heading.finditer(body, 0, last), MOST_ABSTRACTS):
        end = _SECTION_END.search(body, match.end())
        source = body[match.end() : end.start() if end else len(body)][:LONGEST_ABSTRACT]
        first, *_ = _PAGE_END.split(source.lstrip(), maxsplit=1)
        yield _Found(match.groups()[-1], first if len(first.split()) > 20 else source)


def _text(source: str, commands: Commands) -> str:
    """Return an abstract's source as one line of text, up to its keywords."""
    source = source[:LONGEST_ABSTRACT]
    keywords = _KEYWORDS.search(source, min(len(source), 80))
    source = source[: keywords.start()] if keywords else source
    source = _SECTION_TITLE.sub("", source, count=1)
    return " ".join(plain_text(source, commands).replace("\ufffd", " ").split())


def _in_language_of(body: str, texts: list[str]) -> str:
    """Return the text that has the most of the document's frequent words, "" without a text.

    Frequent words are those of its language; a text has to win clearly against the first one.
    """
    if len(texts) < 2:
        return texts[0] if texts else ""

    middle = max(len(body) // 2 - SAMPLE // 2, 0)
    words = Counter(map(str.casefold, _WORDS.findall(body[middle : middle + SAMPLE])))
    frequent = {word for word, count in words.most_common(FREQUENT) if count >= FEWEST_TIMES}
    shares = [_share(text, frequent) for text in texts]
    best = max(range(len(texts)), key=shares.__getitem__)
    return texts[best] if shares[best] > 1.5 * shares[0] else texts[0]


def _share(text: str, frequent: set[str]) -> float:
    words = [word.casefold() for word in _WORDS.findall(text)]
    return sum(word in frequent for word in words) / max(len(words), 1)

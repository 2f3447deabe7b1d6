"""Find the abstract of a LaTeX document: an environment, a command, or a section of that name."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citewise.text import section_names
from citewise.text.placeholders import is_placeholder
from citewise.text.section_names import ABSTRACT_COMMAND
from citewise.text.tex_commands import Commands, closed, group, plain_text, without_commands

LONGEST_ABSTRACT = 50_000
"""Characters of an abstract's source that are converted; the rest is dropped."""

MOST_ABSTRACTS = 8
"""Abstracts of a document that are compared: in several languages, of several chapters."""

EARLY = 5_000
"""Characters from the beginning in which a section may be the abstract, however short the text."""

SAMPLE = 200_000
"""Characters of a document from which its language is detected."""

FREQUENT = 60
FEWEST_TIMES = 5
"""Frequent words of a document that tell its language, and how often they occur at least."""

_FILLER = re.compile(r"\\(?:lipsum|[bB]lindtext)")
"""Commands that print text without a meaning."""

_OPTION = r"(?:\s{0,9}\[([^][]{0,300})\])?"
_BEGIN = re.compile(
    rf"\\begin\s{{0,9}}\{{([A-Za-z@]{{0,20}}{ABSTRACT_COMMAND}[A-Za-z]{{0,20}}\*?)\}}{_OPTION}",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    rf"\\([A-Za-z]{{0,20}}{ABSTRACT_COMMAND}(?:s|en|eng|english|text|de|fr|es)?)"
    rf"{_OPTION}\s{{0,9}}(?=\{{)",
    re.IGNORECASE,
)
_OWN_COMMAND = re.compile(rf"[A-Za-z]{{0,20}}{ABSTRACT_COMMAND}[A-Za-z]{{0,20}}", re.IGNORECASE)
_NOT_AN_ABSTRACT = re.compile(
    r"name|title|page|font|skip|head|toc|true|false|graphic|width|size", re.IGNORECASE
)
_LAYOUT = r"[^{}\w\\]{0,20}(?:\\[A-Za-z]{1,20}+\s{0,9}+){0,3}\{?\s{0,9}+"
"""What may stand before the words of a heading: a command for bold letters, a brace."""

_SECTION = re.compile(
    r"\\(?:[A-Za-z]{0,30}(?:section|chapter|chap|sec|heading|preface|part|title)[A-Za-z]{0,10}|paragraph)\*?"
    rf"{_OPTION}\s{{0,9}}\{{{_LAYOUT}([^{{}}\\\s][^{{}}\\]{{0,60}})\}}{{1,3}}",
    re.IGNORECASE,
)

# "{\Large\bf Abstract}", "\textbf{Abstract.}", "\centerline{ABSTRACT}"
_PRINTED = re.compile(
    r"\\(?:bf(?:series)?|textbf|large|Large|LARGE|huge|centerline|textsc|scshape|em|emph|it)\b[\s{]{0,9}+"
    r"(?:\\[A-Za-z]{2,12}+\s{0,5}+\{?){0,3}\s{0,9}+([^{}\\\s][^{}\\]{0,60})(?:\\\\|\})",
    re.IGNORECASE,
)
_SECTION_END = re.compile(
    r"\\(?:section|chapter|part|addchap|addsec|prefacesection|paragraph|subsection|begin\s*\{thebibliography"
    r"|bibliography|end\s*\{document|tableofcontents|listof|mainmatter|keywords|printbibliography"
    r"|[A-Za-z]{1,20}(?:section|chapter)\*?\s{0,9}\{)|\Z"
)
_PAGE_END = re.compile(r"\\(?:clearpage|cleardoublepage|newpage|pagebreak|end\s*\{otherlanguage)")
_KEYWORDS = re.compile(
    r"\\(?:textbf|emph|textit|noindent|bf|paragraph\*?|begin)?\s{0,9}\{?\s{0,9}\\?"
    rf"{section_names.KEYWORDS}",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[㐀-鿿]|[^\W\d_]+")
_RENAMED = re.compile(r"\\(?:abstractname)\s{0,9}\}?\s{0,9}\{([^{}]{0,200})\}")

_PLAIN = re.compile(r"abstracts?\*?", re.IGNORECASE)
_HEADING = re.compile(
    rf"\\(?:section|chapter)\*?\s{{0,9}}(?:\[[^][]{{0,200}}\])?\s{{0,9}}\{{{_LAYOUT}([^{{}}\\]{{1,100}})"
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
            is_other = section_names.is_margin(found.name)
            text = "" if is_other else _text(found.source, commands)
            is_unwritten = is_placeholder(text) or _FILLER.search(found.source) is not None
            had_placeholder |= bool(text) and is_unwritten
            if not is_unwritten:
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
    last = max(_introduction(body), len(body) // 4, EARLY)
    named = (
        match
        for match in heading.finditer(body, 0, last)
        if section_names.is_abstract(match.groups()[-1])
    )
    for match in itertools.islice(named, MOST_ABSTRACTS):
        end = _SECTION_END.search(body, match.end())
        source = body[match.end() : end.start() if end else len(body)][:LONGEST_ABSTRACT]
        first, *_ = _PAGE_END.split(source.lstrip(), maxsplit=1)
        yield _Found(match.groups()[-1], first if len(first.split()) > 20 else source)


def _introduction(body: str) -> int:
    """Return where the introduction begins, 0 where it is not found."""
    headings = _HEADING.finditer(body)
    return next((each.start() for each in headings if section_names.introduces(each[1])), 0)


def _text(source: str, commands: Commands) -> str:
    """Return an abstract's source as one line of text, up to its keywords."""
    source = source[:LONGEST_ABSTRACT]
    keywords = _KEYWORDS.search(source, min(len(source), 80))
    source = source[: keywords.start()] if keywords else source
    source = _SECTION_TITLE.sub("", source, count=1)
    return without_commands(plain_text(closed(source), commands))


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

"""Find the citations of a LaTeX document, and the names of its bibliography files."""

import re
from collections.abc import Iterator

from citewise.text.placeholders import UNWRITTEN

# "\citep[see][p. 3]{key1,key2}", "\cites(see)()[p. 3]{key1}{key2}", "\cite[key]" (ConTeXt): group 1
# is the command's name, 2 the keys, 3 the keys in brackets where there are no braces.
_OPTIONS = r"(?:\s{0,9}\[[^][]{0,1000}\]){0,2}"
_CITATION = re.compile(
    r"\\(?!set|bib|new|renew|Declare)([A-Za-z]{0,30}[cC]ite"
    r"(?!style|name|alias|text|reset|setup|index|color|counter)[A-Za-z]{0,30})\*?"
    rf"(?:(?:\s{{0,9}}\([^()]{{0,300}}\)){{0,2}}{_OPTIONS}\s{{0,9}}\{{([^{{}}]{{1,5000}})\}}"
    r"|\s{0,9}\[([^][{}=]{1,1000})\])"
    r"|\\(newcite|newciteA)\s{0,9}\{([^{}]{1,5000})\}"
)
_VERBATIM = re.compile(r"\\(?:verb|lstinline)\*?([^\sA-Za-z*{[])[^\n]{0,300}?\1")
_FURTHER_KEYS = re.compile(rf"{_OPTIONS}\s{{0,9}}\{{([^{{}}]{{1,5000}})\}}")
_PLACEHOLDER = re.compile(rf"\W*(?:{UNWRITTEN}|citation[ _-]?needed)?\W*", re.IGNORECASE)

_BIBLIOGRAPHY = re.compile(
    r"\\(?:(?:no)?bibliography(?!style|unit)[A-Za-z]{0,30}|add(?:global|section)?bib(?:resource)?)"
    r"\s{0,9}(?:\[[^][]{0,300}\])?\s{0,9}\{([^{}]{1,5000})\}"
    r"|\\putbib\s{0,9}\[([^][]{1,1000})\]"
)


def citations(text: str) -> Iterator[tuple[int, int, str, tuple[str, ...]]]:
    r"""Yield (start, end, name, keys) of each citation command.

    A command with several lists of keys, such as \cites[p. 3]{one}{two} of biblatex, is one; what
    is printed as it stands (\verb|\cite{key}|) is none.
    """
    text = _VERBATIM.sub(lambda verbatim: " " * len(verbatim[0]), text)
    for match in _CITATION.finditer(text):
        name, end = match[1] or match[4], match.end()
        lists = [match[2] or match[3] or match[5]]
        if name.lower().endswith("volcite") and (second := _FURTHER_KEYS.match(text, end)):
            lists, end = [second[1]], second.end()
        while name.endswith("cites") and (more := _FURTHER_KEYS.match(text, end)):
            lists.append(more[1])
            end = more.end()

        all_keys = (key.strip(" *\t\n~") for keys in lists for key in keys.split(","))
        yield match.start(), end, name, tuple(filter(_is_key, all_keys))


def _is_key(key: str) -> bool:
    """Return whether a key is one, and no placeholder such as "?", "..." or "TODO"."""
    return not (_PLACEHOLDER.fullmatch(key) or "#" in key or "\\" in key)


def cited_keys(text: str) -> tuple[str, ...]:
    """Return the keys that a document cites, each once, in the order of their first citation."""
    return keys_of(text)[0]


def keys_of(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    r"""Return the keys that a document cites, and those that it only lists (\nocite), each once."""
    cited, listed = dict[str, None](), dict[str, None]()
    for _, _, name, keys in citations(text):
        (listed if name == "nocite" else cited).update(dict.fromkeys(keys))
    return tuple(cited), tuple(key for key in listed if key not in cited)


def bibliographies(text: str) -> tuple[str, ...]:
    """Return the names of the bibliography files of a document, with their suffix, each once."""
    lists = (match[1] or match[2] for match in _BIBLIOGRAPHY.finditer(text))
    names = (" ".join(name.split()).strip('"') for each in lists for name in each.split(","))
    return tuple(
        dict.fromkeys(
            name if name.lower().endswith(".bib") else f"{name}.bib"
            for name in names
            if name and "#" not in name
        )
    )

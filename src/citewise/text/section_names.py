"""What the sections that every paper has are called, in several languages."""

import re
from collections.abc import Iterable

from citewise.text.ids import unaccented

_ABSTRACTS = (
    *("abstract", "abstracts", "résumé", "resumee", "resumen", "resumo", "resum", "riassunto"),
    *("sommario", "rezumat", "zusammenfassung", "kurzfassung", "kurzzusammenfassung", "abstrakt"),
    *("samenvatting", "sammanfattning", "sammendrag", "tiivistelmä", "streszczenie", "sažetak"),
    *("povzetek", "anotace", "souhrn", "összefoglaló", "özet", "özetçe", "abstrak", "laburpena"),
    *("tóm tắt", "аннотация", "реферат", "анотація", "περίληψη", "چکیده", "ملخص", "תקציר"),
    *("摘要", "摘 要", "提要", "要旨", "概要", "抄録", "초록", "요약"),
)
"""Words that mean an abstract and little else."""

_SUMMARIES = (
    *("summary", "synopsis", "executive summary", "graphical abstract", "extended abstract"),
    *("general abstract", "thesis abstract", "english abstract", "extended summary"),
    *("general summary", "thesis summary", "english summary"),
)
"""Headings of abstracts that are no names of LaTeX's, or name other things as well."""

_INTRODUCTIONS = (
    *("introduction", "introducing", "introductory", "general introduction", "introducción"),
    *("introdução", "introduzione", "introducere", "einleitung", "allgemeine einleitung"),
    *("einführung", "inleiding", "inledning", "innledning", "indledning", "johdanto", "wstęp"),
    *("wprowadzenie", "úvod", "bevezetés", "giriş", "pendahuluan", "введение", "вступ"),
    *("εισαγωγή", "引言", "绪论", "緒論", "导言", "前言", "序論", "はじめに", "序章", "서론"),
    *("머리말",),
)
"""What the heading of an introduction begins with."""

_BACKGROUNDS = (
    *("background", "motivation", "statement of need", "overview", "background and motivation"),
    *("background and significance",),
)
"""Whole headings of introductions; with more words they can be any section."""

_REFERENCES = (
    *("references", "reference", "bibliography", "literature", "literature cited", "citations"),
    *("works cited", "reference list", "list of references", "cited literature", "sources"),
    *("references and notes", "notes and references", "cited references", "quellen"),
    *("literatur", "literaturverzeichnis", "quellenverzeichnis", "références", "bibliographie"),
    *("références bibliographiques", "referencias", "referencias bibliográficas", "bibliografía"),
    *("referências", "referências bibliográficas", "riferimenti", "riferimenti bibliografici"),
    *("literatuur", "literatuurlijst", "referenser", "referanser", "litteratur", "literatura"),
    *("litteraturlista", "litteraturliste", "källor", "lähteet", "piśmiennictwo", "irodalom"),
    *("kaynakça", "kaynaklar", "daftar pustaka", "литература", "список литературы"),
    *("література", "βιβλιογραφία", "参考文献", "參考文獻", "引用文献", "참고문헌", "참고 문헌"),
)
_AUTHORS = ("authors", "author", "autoren", "auteurs", "autores", "autori", "作者", "著者")

_THANKS = (
    *("acknowledgement", "acknowledgment", "agradecimiento", "agradecimento", "danksagung"),
    *("remerciement", "dankwoord", "ringraziamenti", "teşekkür", "kiitokset", "tack", "thanks"),
)
_ASIDES = (
    *("affiliation", "keywords", "disclaimer", "highlights", "contents", "dedication"),
    *("dedicatoria", "declaration"),
)
"""What sections begin with that say nothing about the subject."""

_MARGINS = (
    *("preface", "vorwort", "abbreviation", "abkürzung", "nomenclature", "notation", "list of"),
    *("publications", "author summary", "data availability", "supplement", "supplementary"),
    *("supplemental", "appendix", "anhang", "conflict", "funding", "erklärung"),
    *("eidesstattliche", "liste des", "liste der", "lista de", "lista delle", "table des"),
    *("engagement de", "inhaltsverzeichnis", "abbildungsverzeichnis", "tabellenverzeichnis"),
    *("abkürzungsverzeichnis", "symbolverzeichnis", "selbstständigkeitserklärung", "déclaration"),
    *("dichiarazione", "declaración", "declaração", "curriculum vitae", "lebenslauf"),
)
"""What other sections begin with that do not tell what a paper is about."""

_WHOLE_MARGINS = (
    *("engagement", "licence", "license", "copyright", "glossary", "glossar", "glossaire"),
    *("acronyms", "symbols", "list", "dédicace", "widmung", "colophon", "vita"),
)
"""Whole headings of such sections; with more words they can be any section."""

_OTHERS = (
    *("key words", "table of contents", "methods", "materials and methods", "methodology"),
    *("results", "discussion", "results and discussion", "conclusion", "conclusions", "notes"),
    *("related work", "author contributions", "competing interests", "title page", "usage"),
    *("ethics statement", "significance statement", "plain language summary", "setup"),
    *("installation", "limitations", "conflict of interest", "supplementary material"),
)
"""Whole headings of other usual sections."""

KEYWORDS = (
    r"(?:key\s?-?words(?:\s+and\s+phrases)?|index\s+terms|ccs\s+concepts|jel\s+(?:codes?|class\w*)"
    r"|categories\s+and\s+subject|schl(?:ü|ue)sselw(?:ö|oe)rter|schlagw(?:ö|oe|o)rter|stichworte"
    r"|mots[\s-]cl(?:é|e)s|palabras\s+clave|palavras[\s-]chave|parole\s+chiave|trefwoorden"
    r"|nyckelord|s(?:ł|l)owa\s+kluczowe|kl(?:í|i)(?:č|c)ov(?:á|a)\s+slova|avainsanat"
    r"|anahtar\s+kelimeler|ключевые\s+слова|关键词|關鍵詞|キーワード|핵심어|word\s+count)\b"
)
"""A pattern of what a list of keywords is called."""

_KEYWORDS = re.compile(KEYWORDS, re.IGNORECASE)
_NUMBER = re.compile(
    r"(?:(?:chapter|section|kapitel|chapitre|capítulo)\s+)?"
    r"(?:\d{1,3}(?:\.\d{1,3}){0,4}[.):]?|[ivxIVX]{1,5}[.):]|[A-H][.)])\s+"
)
_ABSTRACT_IN = re.compile(r"abstract (?:in|of) .{0,40}")
_LONGEST = 60
"""Characters of a heading that can be one of these."""


def _folded(text: str) -> str:
    return unaccented(text).casefold()


def _all(*groups: Iterable[str]) -> frozenset[str]:
    return frozenset(_folded(name) for group in groups for name in group)


def _pattern(names: Iterable[str]) -> str:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return f"(?:{'|'.join(map(re.escape, longest_first))})"


_ABSTRACT = _all(_ABSTRACTS, _SUMMARIES)
_INTRODUCTION = _all(_INTRODUCTIONS, _BACKGROUNDS)
_INTRODUCTION_BEGINS = tuple(_all(_INTRODUCTIONS))
_REFERENCE_LIST = _all(_REFERENCES)
_AUTHOR_LIST = _all(_AUTHORS)
_WHOLE_MARGIN = _all(_WHOLE_MARGINS)
_USUAL = _all(_REFERENCES, _AUTHORS, _OTHERS, _WHOLE_MARGINS)

_THANKING = re.compile(rf"{_pattern(_all(_THANKS))}(?:e?s|en)?\b")
_ASIDE = re.compile(rf"{_pattern(_all(_THANKS, _ASIDES))}(?:e?s|en)?\b")
_MARGIN = re.compile(rf"{_pattern(_all(_THANKS, _ASIDES, _MARGINS))}(?:e?s|en)?\b")

ABSTRACT_LABEL = _pattern({*_ABSTRACT, *_ABSTRACTS, *_SUMMARIES})
"""A pattern of what an abstract is called in a text."""

ABSTRACT_COMMAND = _pattern(name for name in _all(_ABSTRACTS) if name.isascii() and name.isalpha())
"""A pattern of what an abstract is called in the names of LaTeX's environments and commands."""


def plain(heading: str) -> str:
    """Return a heading without its number, case, accents and final punctuation."""
    text = " ".join(heading[: 2 * _LONGEST].split()).strip("*_ ")
    text = _NUMBER.sub("", text, count=1)
    return _folded(text.strip(" .:：—–-*_"))


def is_abstract(heading: str) -> bool:
    """Return whether a section is the abstract: "Summary", "Abstract in English"."""
    name = plain(heading)
    return name in _ABSTRACT or _ABSTRACT_IN.fullmatch(name) is not None


def is_introduction(line: str) -> bool:
    """Return whether a line is the heading of an introduction, and no sentence or title: "2
    Background", "Introduction: why bees".
    """
    name = plain(line)
    return name in _INTRODUCTION or name.partition(":")[0] in _INTRODUCTION


def introduces(heading: str) -> bool:
    """Return whether a section introduces the paper: "Introduction and related work", too."""
    return is_introduction(heading) or plain(heading).startswith(_INTRODUCTION_BEGINS)


def is_references(heading: str) -> bool:
    """Return whether a section is the list of references."""
    return plain(heading) in _REFERENCE_LIST


def is_authors(heading: str) -> bool:
    """Return whether a section lists the authors."""
    return plain(heading) in _AUTHOR_LIST


def is_thanks(line: str) -> bool:
    """Return whether a line is the heading of the acknowledgements, and no sentence."""
    return _THANKING.fullmatch(plain(line)) is not None


def is_aside(heading: str) -> bool:
    """Return whether a section is no running text about the subject: authors, references."""
    return is_references(heading) or is_authors(heading) or _ASIDE.match(plain(heading)) is not None


def is_margin(heading: str) -> bool:
    """Return whether a section is an aside, or cannot tell what the paper is about: a preface, an
    appendix.
    """
    name = plain(heading)
    return is_aside(heading) or name in _WHOLE_MARGIN or _MARGIN.match(name) is not None


def is_usual(heading: str) -> bool:
    """Return whether a heading names a usual part of a paper, so that it is not the title."""
    name = plain(heading)
    return (
        name in _USUAL
        or _MARGIN.fullmatch(name) is not None
        or is_abstract(heading)
        or is_introduction(heading)
        or starts_keywords(heading)
    )


def starts_keywords(line: str) -> bool:
    """Return whether a line lists keywords, which end an abstract."""
    return _KEYWORDS.match(line[: 2 * _LONGEST].strip(" *_#")) is not None

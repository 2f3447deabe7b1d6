"""Recognise the sections that every paper has by their headings, in several languages."""

import re

ABSTRACT = frozenset(
    (
        *("abstract", "summary", "synopsis", "executive summary", "graphical abstract", "resume"),
        *("résumé", "resumen", "resumo", "riassunto", "sommario", "rezumat", "resumé", "resum"),
        *("zusammenfassung", "kurzfassung", "kurzzusammenfassung", "samenvatting", "abstrakt"),
        *("sammanfattning", "sammendrag", "tiivistelmä", "streszczenie", "sažetak", "povzetek"),
        *("összefoglaló", "özet", "abstrak", "tóm tắt", "аннотация", "реферат", "анотація"),
        *(
            "περίληψη",
            "چکیده",
            "ملخص",
            "תקציר",
            "摘要",
            "提要",
            "要旨",
            "概要",
            "抄録",
            "초록",
            "요약",
        ),
    )
)
INTRODUCTION = frozenset(
    (
        *("introduction", "background", "motivation", "statement of need", "overview"),
        *(
            "introduction and background",
            "background and motivation",
            "background and significance",
        ),
        *("einleitung", "einführung", "introducción", "introdução", "introduzione", "introducere"),
        *(
            "inleiding",
            "inledning",
            "innledning",
            "indledning",
            "johdanto",
            "wstęp",
            "wprowadzenie",
        ),
        *("úvod", "uvod", "bevezetés", "giriş", "pendahuluan", "введение", "вступ", "εισαγωγή"),
        *("引言", "绪论", "緒論", "导言", "前言", "序論", "はじめに", "序章", "서론", "머리말"),
    )
)
REFERENCES = frozenset(
    (
        *("references", "reference", "bibliography", "literature", "literature cited", "citations"),
        *("works cited", "reference list", "list of references", "cited literature", "sources"),
        *("references and notes", "notes and references", "cited references", "quellen"),
        *("literatur", "literaturverzeichnis", "quellenverzeichnis", "références", "bibliographie"),
        *(
            "références bibliographiques",
            "referencias",
            "referencias bibliográficas",
            "bibliografía",
        ),
        *("referências", "referências bibliográficas", "bibliografia", "riferimenti"),
        *("riferimenti bibliografici", "literatuur", "literatuurlijst", "referenser", "referanser"),
        *("litteratur", "litteraturlista", "litteraturliste", "källor", "lähteet", "literatura"),
        *("piśmiennictwo", "irodalom", "kaynakça", "kaynaklar", "daftar pustaka", "литература"),
        *("список литературы", "література", "βιβλιογραφία", "参考文献", "參考文獻", "引用文献"),
        *("참고문헌", "참고 문헌"),
    )
)
AUTHORS = frozenset(
    ("authors", "author", "autoren", "auteurs", "autores", "autori", "作者", "著者")
)

_OTHERS = frozenset(
    (
        *("affiliation", "affiliations", "keywords", "key words", "highlights", "contents"),
        *("table of contents", "acknowledgements", "acknowledgments", "acknowledgement", "methods"),
        *("acknowledgment", "materials and methods", "methodology", "results", "discussion"),
        *("results and discussion", "conclusion", "conclusions", "related work", "appendix"),
        *("author contributions", "data availability", "declarations", "funding", "notes"),
        *("conflict of interest", "competing interests", "ethics statement", "title page"),
        *("significance statement", "plain language summary", "disclaimer", "preface", "usage"),
        *("installation", "limitations", "setup", "abbreviations", "supplementary material"),
    )
)

_ASIDES = ("acknowledg", "affiliation", "keywords", "disclaimer", "highlights", "contents")
"""What the names of sections begin with that say nothing about the subject."""

_KEYWORDS = re.compile(
    r"(?:key\s?-?words(?:\s+and\s+phrases)?|index\s+terms|ccs\s+concepts|jel\s+(?:codes?|class\w*)"
    r"|categories\s+and\s+subject|schl(?:ü|ue)sselw(?:ö|oe)rter|stichworte|mots[\s-]cl(?:é|e)s"
    r"|palabras\s+clave|palavras[\s-]chave|parole\s+chiave|trefwoorden|nyckelord|s(?:ł|l)owa\s+kluczowe"
    r"|kl(?:í|i)(?:č|c)ov(?:á|a)\s+slova|avainsanat|anahtar\s+kelimeler|ключевые\s+слова"
    r"|关键词|關鍵詞|キーワード|핵심어|word\s+count)\b\s*[:：.—–-]?",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?:(?:chapter|section|kapitel|chapitre|capítulo)\s+)?"
    r"(?:\d{1,3}(?:\.\d{1,3}){0,4}[.):]?|[ivxIVX]{1,5}[.):]|[A-H][.)])\s+"
)
_LONGEST = 60
"""Characters of a heading that can be one of these."""


def plain(heading: str) -> str:
    """Return a heading without its number, case and final punctuation."""
    text = " ".join(heading[: 2 * _LONGEST].split()).strip("*_ ")
    text = _NUMBER.sub("", text, count=1)
    return text.strip(" .:：—–-*_").casefold()


def is_abstract(heading: str) -> bool:
    """Return whether a section is the abstract."""
    return plain(heading) in ABSTRACT


def is_introduction(heading: str) -> bool:
    """Return whether a section introduces the paper: "2 Background", "Introduction: why bees"."""
    name = plain(heading)
    return name in INTRODUCTION or name.partition(":")[0] in INTRODUCTION


def is_references(heading: str) -> bool:
    """Return whether a section is the list of references."""
    return plain(heading) in REFERENCES


def is_authors(heading: str) -> bool:
    """Return whether a section lists the authors."""
    return plain(heading) in AUTHORS


def is_aside(heading: str) -> bool:
    """Return whether a section is no running text about the subject: authors, references."""
    name = plain(heading)
    return name in REFERENCES | AUTHORS or name.startswith(_ASIDES)


def is_usual(heading: str) -> bool:
    """Return whether a heading names a usual part of a paper, so that it is not the title."""
    return (
        plain(heading) in ABSTRACT | REFERENCES | AUTHORS | _OTHERS
        or is_introduction(heading)
        or starts_keywords(heading)
    )


def starts_keywords(line: str) -> bool:
    """Return whether a line lists keywords, which end an abstract."""
    return _KEYWORDS.match(line[: 2 * _LONGEST].strip(" *_#")) is not None

"""Recognise the names of people in author lines, where affiliations stand beside them."""

import re

LONGEST_NAME = 60
"""Characters."""

MOST_WORDS = 6

_PARTICLES = frozenset(
    (
        *("af", "al", "ap", "av", "bin", "bint", "da", "dal", "de", "del", "della", "dem", "den"),
        *("der", "di", "do", "dos", "das", "du", "e", "el", "ibn", "la", "las", "le", "lo", "los"),
        *("ten", "ter", "till", "van", "vande", "vom", "von", "y", "zu", "zum", "zur", "'t", "op"),
    )
)

# A word without digits: "O'Malley", "Price-Whelan", "A.", "J.-P.".
_WORD = re.compile(r"(?:[dDlL]['’])?[^\W\d_](?:[^\W\d_]|['’.‐-](?=[^\W_])){0,29}\.?,?")
_UNSPACED = re.compile("[\u3400-\u9fff\uac00-\ud7a3]{2,4}")
_TITLES = re.compile(
    r"(?:\b(?:Prof(?:essor)?|Dr|Drs|Ir|Ing|Mr|Mrs|Ms|Dipl|rer|nat|med|habil|MSc|BSc)\b\.?[\s-]*)+"
    r"|,?\s*\b(?:Ph\.?\s?D|M\.?\s?Sc|B\.?\s?Sc|M\.?\s?D|M\.?\s?A|B\.?\s?A|MBA|MPH|Member"
    r"|Senior Member|Student Member|Fellow|Life Fellow|IEEE|ACM)\b\.?"
)
_NOT_A_NAME = re.compile(
    r"\b(?:universi\w*|institut\w*|dep(?:artment|artamento|t)|dpto|facult\w*|fakult\w*|school|college"
    r"|labor\w*|labs?|cent(?:er|re|ro|rum)|academy|hospital|clinic|research\w*|group|team|inc|ltd|llc"
    r"|gmbh|corp\w*|company|technolog\w*|technische|hochschule|national|international|sciences?"
    r"|engineering|computer|computing|physics|mathematics|statistics|chemistry|biology|medicine"
    r"|informatik|lehrstuhl|street|road|avenue|ave|box|room|building|email|e-mail|phone|fax|tel"
    r"|usa|uk|u\.s\.a|china|germany|france|italy|spain|japan|canada|india|australia|netherlands"
    r"|switzerland|sweden|austria|belgium|brazil|brasil|finland|denmark|norway|poland|portugal"
    r"|korea|singapore|israel|kingdom|states|new york|california|supervis\w*|advis[oe]r|asesor"
    r"|director|tutor|promotor|betreuer|examiner|editor|student|number|matrikel\w*|abstract|title"
    r"|collaboration|consortium|working|committee|google|microsoft|facebook|deepmind|amazon|ibm"
    r"|nvidia|openai|adobe|intel|max planck|cnrs|inria|nasa|thesis|draft|version|date|correspond\w*"
    r"|equal|contribut\w*|present address|member|and|et|und|with|the|of|for|et al|city|country"
    r"|organi[sz]ation|address|affiliation\w*|homepage|github|orcid|code|code available|in|at|on"
    r"|association|foundation|agency|ministry|museum|observatory|society|division|section|program"
    r"|studies|education|management|systems|network\w*|theory|applied|advanced)\b",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"(?-i:(?:UC|UT|US|UK|EU) .*|[TKFHV]U (?:Amsterdam|Berlin|Braunschweig|Chemnitz|Dortmund"
    r"|Graz|Hamburg|Ilmenau|Kaiserslautern|Wien|Vienna|Delft|Dresden|Leuven|Munich|M.{1,2}nchen"
    r"|Darmstadt|Eindhoven))"
    r"|.*\b(?:tech|state|polytech\w*|leuven|delft|eindhoven|dresden|m[uü]nchen|munich|z[uü]rich"
    r"|darmstadt|bombay|delhi|kanpur|madras|kharagpur|csail)"
    r"|johns? hopkins|carnegie mellon|hong kong|san (?:francisco|diego|jos[eé]|antonio)"
    r"|santa (?:cruz|barbara|clara|monica|fe)|los (?:angeles|alamos|gatos)|las vegas|palo alto"
    r"|mountain view|menlo park|redwood city|ann arbor|notre dame|[eé]cole .*|sorbonne .*"
    r"|paris[ -](?:sud|saclay|diderot|descartes|cit[eé]|est|sorbonne)|tel aviv|buenos aires"
    r"|st\.? (?:louis|petersburg|andrews|gallen)|saint petersburg|rio de janeiro|s[aã]o paulo"
    r"|belo horizonte|porto alegre|new (?:haven|jersey|mexico|orleans|zealand|south wales)"
    r"|(?:north|south) (?:carolina|dakota|africa)|west virginia|rhode island|sri lanka|costa rica"
    r"|saudi arabia|puerto rico|el salvador|czech republic|chapel hill|stony brook|oak ridge"
    r"|lawrence (?:berkeley|livermore)|kuala lumpur|ho chi minh|addis ababa|abu dhabi|den haag"
    r"|la plata|george (?:mason|washington)|wake forest|case western(?: reserve)?|ben gurion",
    re.IGNORECASE,
)
"""Towns and universities that look like names, as whole texts."""

# "ETH Zürich", but not the family name of "WANG Wei".
_ACRONYM = re.compile(r"[A-Z]{3,4}")
_SYLLABLE = re.compile(r"(?:ZH|CH|SH|[BPMFDTNLGKHJQXRZCSYW])?[AEIOU]{1,3}(?:NG?|R)?")

_FOREIGN = (
    r"(?:cognome|sobrenome|(?:votre )?pr[ée]noms?(?: (?:et )?noms?)?|noms?(?: et)? pr[ée]noms?"
    r"|nazwisko|jm[ée]no|p[řr][íi]jmen[íi]|priezvisko|prezime|ime(?: in?)? priimek"
    r"|ad[ıi]? soyad[ıi]?|(?:seu|su|tu|tuo|votre|ton|mein|ihr|dein|uw|jouw|va[sš]e|twoje) "
    r"(?:nome|nombre|nom|name|naam|jm[ée]no|imi[ęe])|fulan[oa]|vorname\w*|nachname\w*|nombres"
    r"|fornavn|etternavn|efternavn|f[öo]rnamn|efternamn|voornaam|achternaam|etunimi|sukunimi"
    r"|keresztn[ée]v|vezet[ée]kn[ée]v|имя|фамилия|ola nordmann)"
)
"""What templates in other languages have in place of a name."""

_TEMPLATE = re.compile(
    rf"\b{_FOREIGN}\b|"
    r"\b(?:anonym\w*|(?:given|first|last|second|third|fourth|fifth|sixth|full|your|author\w*|family"
    r"|student|middle)[\s-]*names?|first\s*name\w*|last\s*name\w*|surname|forename|(?:first|second|third"
    r"|fourth|another|other|corresponding|co|contact|last|main|an?)[\s-]?author\w*|authors?|coauthor"
    r"|name|paper id|submission|john (?:doe|smith|q\.? public)|jane (?:doe|roe)|joan r\.? public"
    r"|max mustermann|erika mustermann|hans mustermann|vorname|nachname|nombre|apellido\w*|lorem"
    r"|ipsum|todo|tbd|firstname|lastname|ji q\. ren|yevgeny lenet|antonia q\. hippocampus"
    r"|david s\. hippocampus|natalia cerebro|am[eé]lie p\. amygdale|elias d\. striatum|ben trovato"
    r"|g\.k\.m\. tobin|lars th\w+|valerie b[eé]ranger|aparna patel|huifen chan|julius p\. kumquat"
    r"|homer simpson|montgomery scott|eldon tyrell|michael shell|albert author"
    r"|bernard d\. researcher|leslie author|f\. author|s\. author|t\. author)\b",
    re.IGNORECASE,
)


def without_titles(name: str) -> str:
    """Return a name without academic titles and degrees."""
    return " ".join(_TITLES.sub(" ", name).split()).strip(" ,;:*†‡§¶∗.") + _last_stop(name)


def _last_stop(name: str) -> str:
    """Return the full stop of a name's last word where that is an abbreviation: "Jr."."""
    return "." if re.search(r"\b(?:Jr|Sr)\.\W*$", name) else ""


def is_name(text: str, fewest: int = 2) -> bool:
    """Return whether a text is certainly a person's name: `fewest` capitalised words or more."""
    words = text.split()
    if len(text) > LONGEST_NAME or len(words) > MOST_WORDS or len(words) < fewest:
        return is_unspaced_name(text)
    if _NOT_A_NAME.search(text) or is_template_name(text) or _is_place(text):
        return False

    full = [word for word in words if word not in _PARTICLES]
    has_family_name = any(len(word.strip(".,")) > 1 for word in full)
    return (
        has_family_name
        and len(full) >= min(fewest, 2)
        and all(_WORD.fullmatch(word) and not word[0].islower() for word in full)
    )


def _is_place(text: str) -> bool:
    """Return whether a text that looks like a name is a town or a university."""
    first, _, rest = text.partition(" ")
    is_acronym = _ACRONYM.fullmatch(first) and not rest.isupper() and not _SYLLABLE.fullmatch(first)
    return bool(is_acronym) or _PLACES.fullmatch(text) is not None


def is_unspaced_name(text: str) -> bool:
    """Return whether a text is a Chinese, Japanese or Korean name without a space."""
    return 2 <= len(text) <= 4 and all(
        "\u3400" <= each <= "\u9fff" or "\uac00" <= each <= "\ud7a3" for each in text
    )


def is_template_name(text: str) -> bool:
    """Return whether a name is one that templates have: "First Author", "Anonymous"."""
    return _TEMPLATE.search(text) is not None

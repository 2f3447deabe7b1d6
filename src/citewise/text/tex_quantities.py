r"""Turn numbers and units of siunitx into text: "\SIrange{1}{10}{\giga\electronvolt}"."""

import re

_ARGUMENT = r"\s{0,9}\{((?:[^{}]|\{[^{}]{0,200}\}){0,500})\}"
_OPTION = r"(?:\s{0,9}\[[^][]{0,300}\])?"
_QUANTITY = re.compile(
    rf"\\(SIrange|qtyrange|numrange){_OPTION}{_ARGUMENT}{_ARGUMENT}(?:{_ARGUMENT})?"
    rf"|\\(?:SI|qty){_OPTION}{_ARGUMENT}{_OPTION}{_ARGUMENT}"
    rf"|\\(?:num|si|unit|ang)(?![A-Za-z]){_OPTION}{_ARGUMENT}"
)
_UNIT = re.compile(r"\\([A-Za-z]+)\s*")
_SYMBOLS = {
    "pico": "p",
    "nano": "n",
    "micro": "µ",
    "milli": "m",
    "centi": "c",
    "kilo": "k",
    "mega": "M",
    "giga": "G",
    "tera": "T",
    "peta": "P",
    "metre": "m",
    "meter": "m",
    "second": "s",
    "gram": "g",
    "hertz": "Hz",
    "kelvin": "K",
    "volt": "V",
    "watt": "W",
    "joule": "J",
    "tesla": "T",
    "ampere": "A",
    "electronvolt": "eV",
    "celsius": "°C",
    "degreeCelsius": "°C",
    "degree": "°",
    "percent": r"\%",
    "per": "/",
    "squared": "²",
    "cubed": "³",
    "pm": " ± ",
}


def with_quantities(text: str) -> str:
    """Return LaTeX with the numbers and units of siunitx as text."""
    if "\\" not in text:
        return text
    return _QUANTITY.sub(_quantity, text)


def _quantity(match: re.Match[str]) -> str:
    kind, first, last, range_unit, number, unit, alone = match.groups()
    if kind == "numrange":
        return f"{first}–{last} {range_unit or ''}"
    if kind:
        return f"{first}–{last} {_symbols(range_unit or '')}"
    return _symbols(alone) if alone is not None else f"{_symbols(number)} {_symbols(unit)}"


def _symbols(unit: str) -> str:
    """Return a unit with symbols for names; a name that is not known stays as a word."""
    return _UNIT.sub(lambda match: _SYMBOLS.get(match[1], match[1]), unit)

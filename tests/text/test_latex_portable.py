"""LaTeX of others, as pdfLaTeX compiles it without packages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.text.latex import decode, encode
from citewise.text.latex_portable import definitions, portable, stand_in


@pytest.mark.parametrize(
    "latex",
    [
        r"{BERT} \& $x_1$",
        r"20$^\circ$C",
        r"$^7$Be and H$_2$O",
        r"$a\mbox{b $c$}$",
        r"{\"U}ber \k{a} {\ss}",
        r"\emph{A} -- \ensuremath{x_2}",
        r"\url{http://a_b/~c&d}",
        r"$\mathbb{R}^n$ \enquote{so}",
    ],
)
def test_what_compiles_is_left_alone(latex: str) -> None:
    assert portable(latex) == latex


@pytest.mark.parametrize(
    ("latex", "repaired"),
    [
        ("a_b & c # 5% x^2", r"a\_b \& c \# 5\% x{\textasciicircum}2"),
        ("é ü", r"{\'e} {\"u}"),
        (r"$\alpha_é$", r"$\alpha_\mbox{{\'e}}$"),
        (r"\url{http://x/a%20b#c}", r"\url{http://x/a\%20b\#c}"),
        (r"Mart{\'{\i}}n \'\i", r"Mart{\'{i}}n \'{i}"),
    ],
)
def test_what_can_be_repaired_is(latex: str, repaired: str) -> None:
    assert portable(latex) == repaired


@pytest.mark.parametrize(
    "latex",
    [
        r"\foo{x}",
        r"\input{/etc/passwd}",
        r"\write18{ls}",
        "{a",
        "a}",
        "5$ only",
        "$$x$$",
        "$x{y$}",
        "{$x}$",
        r"\'",
        r"$\'e$",
        "$^$",
        r"\alpha",
        "a\\",
        r"\url{a",
    ],
)
def test_what_cannot_compile_is_refused(latex: str) -> None:
    assert portable(latex) is None


def test_definitions_are_only_for_what_is_used() -> None:
    assert definitions(r"plain {\'e} $\alpha$") == []
    (url,) = definitions(r"\url{x}")
    assert url.startswith(r"\providecommand{\url}")
    command, *characters = definitions("Ж中🦜")
    assert r"\citewisechar" in command
    assert characters == [r"\citewisechar{Ж}{Zh}", r"\citewisechar{中}{?}", r"\citewisechar{🦜}{?}"]


def test_stand_ins() -> None:
    assert [stand_in(each) for each in ("ǭ", "ﬁ", "𝛼", "\u0301", "\u202e")] == [
        "o",
        "fi",
        r"{\ensuremath{\alpha}}",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("H₂O", "H$_2$O"),
        ("20°C", r"20{\textdegree}C"),
        ("⁷Be", "$^7$Be"),
        ("SO₄²⁻", "SO$_4$$^{2-}$"),
        ("cm⁻¹", "cm$^{-1}$"),
        ("β-decay", r"{\ensuremath{\beta}}-decay"),
    ],
)
def test_small_numbers_and_greek(text: str, latex: str) -> None:
    assert encode(text) == latex
    assert decode(latex) == text


@given(st.text(alphabet="a₀₉²⁺-+$\\{}_^%&# é°αЖ中~'`", max_size=30))
def test_what_is_encoded_is_portable_and_decodes(text: str) -> None:
    latex = encode(text)
    assert portable(latex) is not None
    assert decode(latex) == " ".join(text.replace("\u00a0", " ").split())


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"Bees.$\backslash$nThey dance.$\backslash$r$\backslash$nwell", "Bees. They dance. well"),
        (r"$\backslash$textit and $\backslash$times", r"\textit and \times"),
    ],
)
def test_line_breaks_that_reference_managers_escape(source: str, text: str) -> None:
    assert decode(source) == text


def test_accents_stand_on_letters_with_dots() -> None:
    assert encode("Luís, naïve") == r"Lu{\'{i}}s, na{\"{i}}ve"
    assert portable("A\u030angstro\u0308m") == r"{\r{A}}ngstr{\"o}m"

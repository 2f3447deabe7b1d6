"""The commands that pdfLaTeX knows without packages, and definitions for others that occur in
bibliographies.

The sets were found by compiling each command with pdfLaTeX (TeX Live 2022) and the class article.
"""

TEXT = frozenset(
    r"""
    AA AE H IJ L LaTeX O OE P S SS TeX aa ae allowbreak b bf bfseries c copyright d dag ddag
    dots em emph enskip ensuremath hbox i ij it itshape j l large ldots mbox mdseries
    nolinebreak normalfont o oe pounds qquad quad r rm rmfamily sc scshape sf sffamily sl slash
    slshape small ss textasciiacute textasciibreve textasciicaron textasciicircum
    textasciidieresis textasciigrave textasciimacron textasciitilde textasteriskcentered
    textbackslash textbaht textbar textbf textbigcircle textblank textbraceleft textbraceright
    textbrokenbar textbullet textcelsius textcent textcolonmonetary textcompwordmark
    textcopyright textcurrency textdagger textdaggerdbl textdegree textdiv textdollar textdong
    textdownarrow textellipsis textemdash textendash textestimated texteuro textexclamdown
    textflorin textfractionsolidus textgreater textinterrobang textit textlangle textleftarrow
    textless textlira textlnot textmd textmho textmu textmusicalnote textnaira textnormal
    textnumero textohm textonehalf textonequarter textonesuperior textopenbullet textordfeminine
    textordmasculine textparagraph textperiodcentered textpertenthousand textperthousand
    textpeso textpm textquestiondown textquotedblleft textquotedblright textquoteleft
    textquoteright textquotesingle textrangle textrecipe textreferencemark textregistered
    textrightarrow textrm textsc textsection textservicemark textsf textsl textsterling
    textsubscript textsuperscript textthreequarters textthreesuperior texttildelow texttimes
    texttrademark texttt texttwosuperior textunderscore textup textuparrow textvisiblespace
    textwon textyen tt ttfamily u underline upshape v
    """.split()  # noqa: SIM905 (a list of hundreds of lines is not easier to read)
)
MATH = frozenset(
    r"""
    Delta Downarrow Gamma Im Lambda Leftarrow Leftrightarrow Longleftarrow Longleftrightarrow
    Longrightarrow Omega Phi Pi Pr Psi Re Rightarrow Sigma Theta Uparrow Updownarrow Upsilon
    Vert Xi acute aleph alpha amalg angle approx arccos arcsin arctan arg ast asymp backslash
    bar beta bigcap bigcirc bigcup bigoplus bigotimes bigtriangledown bigtriangleup bigvee
    bigwedge bot bowtie breve bullet cap cdot cdots check chi circ colon cong coprod cos cosh
    cot csc cup dag dagger dashv ddot ddots deg delta det diamond dim div dot doteq dots
    downarrow ell emph emptyset epsilon equiv eta exists exp flat forall frac frown gamma gcd ge
    geq gets gg grave hat hbar hbox hom hookleftarrow hookrightarrow iff in inf infty int iota
    it kappa ker lambda land langle lbrace lceil ldots le leftarrow leftharpoondown
    leftharpoonup leftrightarrow leq lfloor lg lim liminf limsup ll ln lnot log longleftarrow
    longleftrightarrow longmapsto longrightarrow lor mapsto mathbf mathcal mathit mathnormal
    mathrm mathsf mathtt max mbox mid min mp mu nabla natural ne nearrow neg neq ni not notin nu
    nwarrow odot oint omega ominus oplus oslash otimes overbrace overline parallel partial perp
    phi pi pm prec preceq prime prod propto psi qquad quad rangle rbrace rceil rfloor rho
    rightarrow rightharpoondown rightharpoonup rightleftharpoons rm searrow sec setminus sharp
    sigma sim simeq sin sinh smile sqcap sqcup sqrt sqsubseteq sqsupseteq stackrel star subset
    subseteq succ succeq sum sup supset supseteq surd swarrow tan tanh tau textbf textit
    textnormal textrm textsf texttt theta tilde times to top triangle triangleleft triangleright
    underbrace underline uparrow updownarrow uplus upsilon varepsilon varphi varpi varrho
    varsigma vartheta vdash vdots vec vee vert wedge widehat widetilde wp wr xi zeta
    """.split()  # noqa: SIM905 (a list of hundreds of lines is not easier to read)
)

WITH_ARGUMENT = frozenset(
    r"""
    H b c d k r u v emph ensuremath hbox mbox textbf textit textmd textnormal textrm textsc
    textsf textsl textsubscript textsuperscript texttt textup underline acute bar breve check
    ddot dot frac grave hat mathbf mathcal mathit mathnormal mathrm mathsf mathtt overbrace
    overline sqrt stackrel tilde underbrace vec widehat widetilde url href enquote mkbibquote
    mkbibemph autocap noopsort bibstring text mathbb mathfrak mathscr boldsymbol bm operatorname
    texorpdfstring
    """.split()  # noqa: SIM905 (a list of hundreds of lines is not easier to read)
)
"""Commands that take what follows as their argument."""

TO_TEXT = frozenset(("mbox", "hbox", "text", "textrm", "textnormal", "textit", "textbf", "textsf"))
"""Commands whose argument is text, in a formula too."""

PROVIDED = {
    "url": (
        r"{\begingroup\catcode36=12\catcode38=12\catcode94=12\catcode95=12\catcode126=12"
        r"\citewiseurl}\providecommand{\citewiseurl}[1]{\texttt{#1}\endgroup}"
    ),
    "href": r"[2]{#2}",
    "enquote": r"[1]{``#1''}",
    "mkbibquote": r"[1]{``#1''}",
    "mkbibemph": r"[1]{\emph{#1}}",
    "autocap": r"[1]{#1}",
    "noopsort": r"[1]{}",
    "bibstring": r"[1]{#1}",
    "texorpdfstring": r"[2]{#1}",
    "hyphen": r"{-}",
    "ndash": r"{--}",
    "mdash": r"{---}",
    "degree": r"{\ensuremath{^\circ}}",
    "text": r"[1]{\mbox{#1}}",
    "mathbb": r"[1]{\mathbf{#1}}",
    "mathfrak": r"[1]{\mathrm{#1}}",
    "mathscr": r"[1]{\mathcal{#1}}",
    "boldsymbol": r"[1]{\mathbf{#1}}",
    "bm": r"[1]{\mathbf{#1}}",
    "operatorname": r"[1]{\mathrm{#1}}",
    "lesssim": r"{\stackrel{<}{\sim}}",
    "gtrsim": r"{\stackrel{>}{\sim}}",
    "leqslant": r"{\leq}",
    "geqslant": r"{\geq}",
}
"""Commands of packages, each with what stands in for it where no package defines it."""

PROVIDED_MATH = frozenset(
    r"""
    text mathbb mathfrak mathscr boldsymbol bm operatorname lesssim gtrsim leqslant geqslant
    degree
    """.split()  # noqa: SIM905 (a list of hundreds of lines is not easier to read)
)

ENCODED = {
    "k": r"[1]{\oalign{#1\crcr\hidewidth\char44\hidewidth}}",
    "DH": "{D}",
    "dh": "{d}",
    "DJ": "{D}",
    "dj": "{d}",
    "NG": "{N}",
    "ng": "{n}",
    "TH": "{Th}",
    "th": "{th}",
    "guillemotleft": r"{\ensuremath{\ll}}",
    "guillemotright": r"{\ensuremath{\gg}}",
    "guillemetleft": r"{\ensuremath{\ll}}",
    "guillemetright": r"{\ensuremath{\gg}}",
    "guilsinglleft": r"{\ensuremath{<}}",
    "guilsinglright": r"{\ensuremath{>}}",
    "quotedblbase": "{,,}",
    "quotesinglbase": "{,}",
}
"""Characters that fonts of the encoding OT1, the default, do not have, each with what stands in."""

NAMED_BY_BIBER = {"guillemotleft": "guillemetleft", "guillemotright": "guillemetright"}
"""Commands for which pdfLaTeX looks up another one after biber has made them characters."""

_CYRILLIC = dict(
    pair.split(":")
    for pair in """
    а:a б:b в:v г:g ґ:g д:d е:e ё:e є:ie ж:zh з:z и:i і:i ї:i й:i к:k л:l м:m н:n о:o п:p
    р:r с:s т:t у:u ф:f х:kh ц:ts ч:ch ш:sh щ:shch ъ:'' ы:y ь:' э:e ю:iu я:ia
    """.split()  # noqa: SIM905 (as above)
)
TRANSLITERATED = {
    **_CYRILLIC,
    **{letter.upper(): latin.capitalize() for letter, latin in _CYRILLIC.items()},
}
"""Letters of scripts that need fonts of their own, as Latin letters."""

"""Words that name nothing: articles, pronouns, prepositions, auxiliaries, and the small change of
papers ("using", "based", "paper").

The index leaves out only the shortest list of stop words. The others are searched for, since that
does no harm, but they are no reason to cite a paper.
"""

_WORDS = """
a about above across after again against all almost alone along already also although always am
among an and another any anything are around as at away back be became because become been before
behind being below between both but by can cannot could did do does doing done down due during
each either else enough etc even ever every few first for from further furthermore given had has
have having he hence her here hers herself him himself his how however i if in indeed instead into
is it its itself just last later least less let like made mainly make many may me might mine more
moreover most mostly much must my myself namely near neither never nevertheless next no nor not
nothing now of off often on once one only onto or other others otherwise our ours ourselves out
over own per perhaps quite rather really same second seem seems several shall she should show
shown shows since so some still such than that the their theirs them themselves then there thereby
therefore these they third this those three through throughout thus to together too toward towards
two under until up upon us use used uses using usually various very via was we well were what
whatever when where whereas whether which while who whole whom whose why will with within without
would yet you your yours based paper propose proposed proposes present presents presented
"""

FUNCTION_WORDS = frozenset(_WORDS.split())
"""In lower case."""


def is_function_word(word: str) -> bool:
    """Return whether a word, in any case, names nothing."""
    return word.lower() in FUNCTION_WORDS

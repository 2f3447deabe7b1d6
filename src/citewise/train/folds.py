"""Folds: papers dealt into shares, so that a model can be made that did not learn from one of them.

The ranker reads what vectors say about a draft. If these were learned from the draft's own
references, it would come to trust them more than they deserve for drafts that are new.
"""

import hashlib
import re

from citewise.embed.word_models import NNSELECT, own
from citewise.errors import BadInput
from citewise.protocols import Stores

_FOLD = re.compile(rf"{NNSELECT}-fold-(\d+)")


def fold_of(paper: str, folds: int) -> int:
    """Return the share that a paper belongs to, by its id."""
    digest = hashlib.blake2b(paper.encode(), digest_size=8, person=b"citewise fold").digest()
    return int.from_bytes(digest, "little") % folds


def fold_name(number: int) -> str:
    """Return the name of the set of vectors by a model that did not learn from a share."""
    return f"{NNSELECT}-fold-{number}"


def folds_of(stores: Stores) -> tuple[str, ...]:
    """Return the sets of vectors that a ranker may learn from, one a share of the papers; none
    where the set that serves did not learn from this library.
    """
    serving, trained = stores.vectors.papers(NNSELECT), own(stores.models)
    if serving is None or trained is None or trained.about != serving.about:
        return ()

    names = tuple(name for name in stores.vectors.names() if _FOLD.fullmatch(name))
    if not names:
        raise BadInput(
            "the library's own word vectors know the references of the papers that the ranker "
            "would learn from; make vectors that do not with: citewise train nnselect --library "
            "LIBRARY --folds 2 (or go back to those that ship: --shipped)"
        )
    return names

"""Trees that LightGBM would crash or hang on are refused before it reads them."""

import importlib.resources
import re

import pytest

from citewise.rank.tree_text import tree_problem
from citewise.rank.trees import DRAFT_MODEL, SENTENCE_MODEL, ModelKind, shipped_model


def text_of(kind: ModelKind) -> str:
    folder = importlib.resources.files("citewise") / "rank" / "models" / kind.folder
    return (folder / "trees.txt").read_text("utf-8")


@pytest.mark.parametrize("kind", [DRAFT_MODEL, SENTENCE_MODEL], ids=["drafts", "sentences"])
def test_the_trees_that_ship_are_trees(kind: ModelKind) -> None:
    features = len(shipped_model(kind).names)
    assert tree_problem(text_of(kind), features) == ""
    assert "max_feature_idx" in tree_problem(text_of(kind), features + 1)


@pytest.mark.parametrize(
    ("pattern", "replacement", "problem"),
    [
        (r"left_child=\d ", "left_child=0 ", "not connected"),
        (r"right_child=-1 |right_child=\d ", "right_child=0 ", "not connected"),
        (r"split_feature=\d\d ", "split_feature=99 ", "a feature that does not exist"),
        (r"decision_type=\d ", "decision_type=1 ", "unknown kind"),
        (r"num_leaves=\d\d\n", "num_leaves=99\n", "too few or too many"),
        (r"num_cat=0", "num_cat=1", "another kind"),
        (r"threshold=\d", "threshold=x", "could not convert"),
        (r"leaf_value=(-?)\d\.\d\d", r"leaf_value=\1  nan", "too few or too many|no number"),
        (r"Tree=1\n", "Tree=7\n", "another kind"),
        (r"tree_sizes=\d", "tree_sizes=9", "sizes"),
        (r"end of trees", "End of trees", "begin or end"),
    ],
)
def test_a_changed_tree_is_found(pattern: str, replacement: str, problem: str) -> None:
    text, features = text_of(SENTENCE_MODEL), len(shipped_model(SENTENCE_MODEL).names)
    changed = re.sub(pattern, replacement, text, count=1)
    assert changed != text
    if len(changed) != len(text):  # LightGBM finds trees by their sizes
        assert "sizes" in tree_problem(changed, features)
        return
    assert re.search(problem, tree_problem(changed, features))


@pytest.mark.parametrize("text", ["", "no trees at all", "tree\nTree=0\nend of trees\n"])
def test_what_is_no_model_at_all(text: str) -> None:
    assert tree_problem(text, 3)

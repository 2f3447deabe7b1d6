"""Trees as LightGBM writes them, checked before it reads them: it trusts what is written, and
crashes or never returns where a tree's children lead nowhere or back.
"""

import itertools
import math
from collections.abc import Sequence

_PER_SPLIT = (
    *("split_feature", "split_gain", "threshold", "decision_type", "left_child", "right_child"),
    *("internal_value", "internal_weight", "internal_count"),
)
_PER_LEAF = ("leaf_value", "leaf_weight", "leaf_count")
_WHOLE_NUMBERS = frozenset(
    {"split_feature", "decision_type", "left_child", "right_child", "internal_count", "leaf_count"}
)
_DECISIONS = frozenset({0, 2, 4, 6, 8, 10})
"""Numerical splits: where missing values go, and what counts as one. Odd ones are categorical."""

_END = "end of trees\n"

Columns = dict[str, list[int] | list[float]]


def tree_problem(text: str, features: int) -> str:
    """Return what is wrong with trees over a number of features, "" if nothing is."""
    head, mark, rest = text.partition("\nTree=0\n")
    body, end, _ = f"{mark[1:]}{rest}".partition(_END)
    if not (mark and end):
        return "they do not begin or end as trees do"

    try:
        header = _fields(head)
        expected = {"num_class": "1", "num_tree_per_iteration": "1"}
        expected["max_feature_idx"] = str(features - 1)
        wrong = [name for name, value in expected.items() if header.get(name) != value]
        if wrong:
            return f"their {wrong[0]} is {header.get(wrong[0])!r}, not {expected[wrong[0]]}"

        for number, tree in enumerate(_trees(body, header)):
            _check(tree, number, features)
    except (KeyError, ValueError) as error:
        return str(error)
    return ""


def _fields(text: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in text.splitlines())
    return {name: value for name, _, value in pairs}


def _trees(body: str, header: dict[str, str]) -> list[dict[str, str]]:
    """Return each tree's fields; LightGBM finds a tree by the sizes of those before it."""
    sizes = [int(size) for size in header["tree_sizes"].split()]
    ends = [0, *itertools.accumulate(sizes)]
    if min(sizes, default=0) < 1 or ends[-1] != len(body.encode()):
        raise ValueError("their sizes are not those that are written at their head")
    return [_fields(body[start:end]) for start, end in itertools.pairwise(ends)]


def _check(tree: dict[str, str], number: int, features: int) -> None:
    """Raise ValueError where a tree is no tree."""
    leaves = int(tree["num_leaves"])
    kind = (tree["Tree"], tree["num_cat"], tree["is_linear"])
    if leaves < 1 or kind != (str(number), "0", "0"):
        raise ValueError(f"tree {number} is of another kind than citewise trains")

    splits = _columns(tree, _PER_SPLIT, leaves - 1)
    values = _columns(tree, _PER_LEAF, leaves) if leaves > 1 else _columns(tree, _PER_LEAF[:1], 1)
    if not all(map(math.isfinite, values["leaf_value"])):
        raise ValueError(f"tree {number}: a value is no number")
    if not all(0 <= each < features for each in splits["split_feature"]):
        raise ValueError(f"tree {number}: it splits by a feature that does not exist")
    if not _DECISIONS.issuperset(splits["decision_type"]):
        raise ValueError(f"tree {number}: it has a split of an unknown kind")
    if not _is_tree(splits["left_child"], splits["right_child"], leaves):
        raise ValueError(f"tree {number}: its nodes are not connected as a tree's are")


def _columns(tree: dict[str, str], names: Sequence[str], size: int) -> Columns:
    """Return the values of some fields, of which each must have `size`."""
    columns: Columns = {
        name: [*map(int if name in _WHOLE_NUMBERS else float, tree.get(name, "").split())]
        for name in names
    }
    wrong = [name for name, column in columns.items() if len(column) != size]
    if wrong:
        raise ValueError(f"tree {tree['Tree']}: {wrong[0]} has too few or too many values")
    return columns


def _is_tree(left: Sequence[float], right: Sequence[float], leaves: int) -> bool:
    """Return whether every node but the first is the child of one node before it; a negative child
    is a leaf, ~child its number.
    """
    children = [*left, *right]
    expected = [*range(-leaves, 0), *range(1, leaves - 1)]
    later = all(
        not 0 <= child <= parent for side in (left, right) for parent, child in enumerate(side)
    )
    return later and sorted(children) == expected

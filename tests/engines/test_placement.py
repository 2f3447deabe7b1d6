"""Replicas are on different nodes, evenly spread, and move no more than they must."""

from hypothesis import given
from hypothesis import strategies as st

from citewise.engines.ray.placement import Placement, placed
from properties import examples

NODES = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)


def loads(placement: Placement, nodes: list[str]) -> list[int]:
    return [sum(node in owners for owners in placement.values()) for node in nodes]


def test_three_shards_twice_on_three_nodes() -> None:
    placement = placed(3, 2, ["a", "b", "c"], {})
    assert loads(placement, ["a", "b", "c"]) == [2, 2, 2]
    assert placed(3, 2, ["a", "b", "c"], placement) == placement


def test_the_shards_of_a_lost_node_go_to_the_others() -> None:
    before = placed(3, 2, ["a", "b", "c"], {})
    after = placed(3, 2, ["a", "c"], before)
    assert all(sorted(owners) == ["a", "c"] for owners in after.values())
    assert placed(3, 2, [], before) == {0: [], 1: [], 2: []}


@given(st.integers(1, 20), st.integers(1, 3), NODES, NODES)
@examples(500)
def test_a_placement_is_complete_and_even(
    shards: int, replicas: int, nodes: list[str], later: list[str]
) -> None:
    placement = placed(shards, replicas, nodes, {})
    for found, living in ((placement, nodes), (placed(shards, replicas, later, placement), later)):
        wanted = min(replicas, len(living))
        assert [len(owners) for owners in found.values()] == [wanted] * shards
        assert all(len(set(owners)) == wanted for owners in found.values())
        assert {node for owners in found.values() for node in owners} <= set(living)
        assert max(loads(found, living)) <= -(-shards * wanted // len(living))


def test_first_choices_are_spread_though_nodes_join_one_after_the_other() -> None:
    placement: Placement = {}
    for count in (1, 2, 3):
        placement = placed(3, 2, ["a", "b", "c"][:count], placement)
    assert sorted(owners[0] for owners in placement.values()) == ["a", "b", "c"]

"""Which nodes have which shards."""

import math
from collections.abc import Mapping, Sequence

Placement = dict[int, list[str]]
"""For each shard the names of the nodes that have a replica of it, the first choice first."""


def placed(
    shards: int, replicas: int, nodes: Sequence[str], old: Mapping[int, list[str]]
) -> Placement:
    """Return a placement on the nodes that live: replicas on different nodes, evenly spread.

    A replica on a living node stays where it is, unless the node has more than its share.
    """
    replicas = min(replicas, len(nodes))
    most = math.ceil(shards * replicas / max(len(nodes), 1))
    load = dict.fromkeys(nodes, 0)
    placement: Placement = {shard: [] for shard in range(shards)}

    def put(shard: int, node: str) -> None:
        placement[shard].append(node)
        load[node] += 1

    # replica by replica, so that the first choices are spread as well
    for replica in range(replicas):
        for shard in range(shards):
            before = old.get(shard, ())
            if replica < len(before) and load.get(before[replica], most) < most:
                put(shard, before[replica])
    for shard in range(shards):
        while len(placement[shard]) < replicas:
            free = [node for node in nodes if node not in placement[shard]]
            put(shard, min(free, key=lambda node: load[node]))

    # a node with more than its share has a shard that the least loaded one does not have
    while nodes and max(load.values()) > most:
        full, least = max(nodes, key=lambda node: load[node]), min(nodes, key=lambda n: load[n])
        owners = next(each for each in placement.values() if full in each and least not in each)
        owners[owners.index(full)] = least
        load[full] -= 1
        load[least] += 1
    return _first_choices_spread(placement)


def _first_choices_spread(placement: Placement) -> Placement:
    """Return the same placement with the first choices on as many nodes as possible; one that was
    first stays so where it is not first more often than others.
    """
    firsts: dict[str, int] = {}
    for owners in placement.values():
        if owners:
            first = min(owners, key=lambda node: firsts.get(node, 0))
            owners.remove(first)
            owners.insert(0, first)
            firsts[first] = firsts.get(first, 0) + 1
    return placement

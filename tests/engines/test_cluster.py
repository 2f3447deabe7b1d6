"""A library on a cluster answers as the library does, whatever of the cluster fails; its nodes
build the shards that this machine would build.
"""

import importlib.util
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.embed.word_models import word_models
from citewise.engines.dumps.building import BuildSettings, build_shards
from citewise.engines.dumps.plan import Build, Plan, SourceFile
from citewise.engines.dumps.reading import ReadFile
from citewise.engines.ray import cluster, opening
from citewise.engines.ray.addresses import Address
from citewise.engines.ray.building import RayWorkers
from citewise.engines.ray.connection import NAMESPACE
from citewise.engines.ray.directory import ClusterState
from citewise.engines.ray.local_nodes import end_node, known_nodes
from citewise.engines.ray.opening import ClusterStores
from citewise.engines.ray.shard_node import Question, ShardNode
from citewise.engines.ray.wire import packed, unpacked
from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.cutting import cut
from citewise.engines.shards.transport import Call
from citewise.engines.version import installed_version
from citewise.errors import BadInput, BadLibrary, MissingData, Unavailable
from citewise.types import Paper, Query
from command_line import Run, in_own_process
from contracts import PAPERS, SENTENCES
from engines.builds import built, contents, works
from engines.clusters import is_whole, running, wait_until
from openalex_dumps import write_works
from serving import until
from stores.implementations import Given, in_a_folder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("ray") is None, reason="ray is not installed: pip install ray"
    ),
]

QUERIES = [Query(paper.title, paper.abstract) for paper in PAPERS[:6]]
DRAFT = Query(f"On {PAPERS[0].title}", PAPERS[0].abstract)
SENTENCE = Query(sentence=SENTENCES[3].text)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The library that is cut."""
    return Library(in_a_folder(tmp_path_factory.mktemp("whole"), Given([*PAPERS, *SENTENCES])))


@pytest.fixture(scope="module")
def shards(whole: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three shards of it."""
    folder = tmp_path_factory.mktemp("shards")
    cut(whole.stores.info.location, 3, folder)
    return folder


@pytest.fixture(scope="module")
def address(shards: Path) -> Iterator[Address]:
    """A cluster of three nodes that serves the shards."""
    with running(shards) as found:
        yield found


@pytest.fixture
def library(address: Address) -> Library:
    """The library on the cluster, once all of it is there."""
    wait_until(address, is_whole)
    return citewise.open(str(address))


def stores(library: Library) -> ClusterStores:
    assert isinstance(library.stores, ClusterStores)
    return library.stores


def answers(library: Library, system: str = "best") -> list[list[tuple[str, float]]]:
    """Return what a system says to some drafts, and to a sentence."""
    asked = [library.answer(query, 20, system) for query in (*QUERIES, SENTENCE)]
    return [[(each.paper.id, round(each.score, 9)) for each in answer] for answer in asked]


def processes(address: Address, shard: int) -> list[int]:
    """Return the processes of the nodes that have a shard, the first choice first."""
    state = cluster.status(address)
    nodes = [state.nodes[name] for name in state.placement[shard]]
    return [node.process for node in nodes if node is not None]


def with_open(address: Address, shard: int) -> list[int]:
    """Return the processes that have a shard open, also where it is not placed any more."""
    state = cluster.status(address)
    nodes = [node for node in state.nodes.values() if node is not None]
    return [node.process for node in nodes if shard in node.generations.get(state.generation, [])]


def only_lacks(state: ClusterState, shard: int) -> bool:
    """Return whether all workers are back, and just one shard is open nowhere, for a lost file."""
    nodes = [node for node in state.nodes.values() if node is not None]
    found = {each for node in nodes for each in node.generations.get(state.generation, [])}
    return (
        len(nodes) == 3
        and all(Path(f"/proc/{node.process}").exists() for node in nodes)
        and found == {0, 1, 2} - {shard}
        and any("records.zst" in each for each in state.problems)
    )


@pytest.mark.parametrize("system", ["bm25", "navigation", "best", "evidence", "ilciter"])
def test_the_answers_are_the_library_s(whole: Library, library: Library, system: str) -> None:
    assert answers(library, system) == answers(whole, system)


def test_explanations_and_evidence_come_from_the_cluster(whole: Library, library: Library) -> None:
    found, expected = (
        each.answer(SENTENCE, 5, "evidence", explain=True, evidence=2) for each in (library, whole)
    )
    assert [each.evidence for each in found] == [each.evidence for each in expected]
    assert [each.reasons for each in found] == [each.reasons for each in expected]


def test_traffic_is_counted(library: Library) -> None:
    traffic = stores(library).transport.traffic
    library.answer(QUERIES[0], 5, "bm25")
    assert 0 < traffic.trips <= traffic.messages <= 3 * traffic.trips
    assert min(traffic.sent, traffic.received) > 0 and traffic.retries == 0


def test_commands_take_the_address(run: Run, address: Address, library: Library) -> None:
    """In a process that has still to join the cluster, and in one that has joined it."""
    told = in_own_process("info", "--library", address, "--json")
    assert told.code == 0 and f'"papers": {len(PAPERS)}' in told.out, told.err
    shown = run("cluster", "status", "--library", address)
    assert shown.code == 0 and "generation 1, 3 shards x 2" in shown.out, shown.err


def test_a_wrong_token_is_refused(address: Address, tmp_path: Path) -> None:
    """Of another user: who started the cluster has its token at hand, whatever is set."""
    asked, wrong = ("info", "--library", address), "0" * 64
    done = in_own_process(*asked, XDG_STATE_HOME=str(tmp_path), RAY_AUTH_TOKEN=wrong)
    assert done.code == 1 and "refuses this client's token" in done.err, done.err
    done = in_own_process(*asked, RAY_AUTH_TOKEN=wrong)
    assert done.code == 0, done.err


def test_a_running_cluster_is_not_ended_by_mistake(
    run: Run, address: Address, shards: Path, tmp_path: Path
) -> None:
    """By a name that it does not have, and by starting it again in another way."""
    typo = run("cluster", "down", "--library", address._replace(name="librray"))
    assert typo.code == 1 and "no library named 'librray'" in typo.err, typo.err
    asked = ("cluster", "up", "--shards", shards, "--port", address.port)
    again = run(*asked)
    assert again.code != 0 and "your cluster runs there already" in again.err, again.err

    here = ("cluster", "up", "--shards", shards, "--address", address.cluster)
    other = run(*here, "--replicas", 1)
    assert other.code != 0 and "is served there already" in other.err, other.err
    assert "with 2 replicas and also by HTTP" in other.err
    assert is_whole(cluster.status(address))


def test_of_two_libraries_one_goes_on(run: Run, address: Address, shards: Path) -> None:
    second = address._replace(name="second")
    here = ("cluster", "up", "--shards", shards, "--address", address.cluster)
    done = run(*here, "--name", "second")
    assert done.code == 0 and "generation 1, 3 shards x 2" in done.out, done.err
    assert cluster.libraries(address) == ["library", "second"]
    done = in_own_process("cluster", "down", "--library", second)
    assert done.code == 0 and "the nodes go on, as they serve: library" in done.err, done.err
    assert is_whole(cluster.status(address))


def test_a_cluster_builds_the_same(
    run: Run, address: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = write_works(tmp_path / "works", works(150), 3)
    built([dump], tmp_path / "here")
    workers = RayWorkers(address)
    try:
        settings = BuildSettings(3, models=word_models)
        build_shards([dump], tmp_path / "there", settings, workers)
        assert contents(tmp_path / "there") == contents(tmp_path / "here")

        gone = SourceFile(str(tmp_path / "gone.jsonl"), 1, 1)
        task = ReadFile(Build(Plan((gone,), str(tmp_path / "none"), 3, 1), tmp_path / "work"), 0)
        with pytest.raises(MissingData, match=r"gone\.jsonl: no such file"):
            list(workers.run([task]))
        with monkeypatch.context() as patch:
            patch.setattr("citewise.engines.ray.building.installed_version", lambda: "9.9")
            with pytest.raises(BadLibrary, match=r"and this build 9\.9; install the same version"):
                list(workers.run([task]))

        done = run(*("build", dump, "--output", tmp_path / "command", "--address", address.cluster))
    finally:
        workers.close()
    assert done.code == 0 and "papers in 3 shards" in done.err, done.err
    assert contents(tmp_path / "command") == contents(tmp_path / "here")


def test_names_and_addresses_that_are_not_there_are_refused(address: Address) -> None:
    with pytest.raises(MissingData, match="no library named 'other'"):
        citewise.open(str(address._replace(name="other")))
    with pytest.raises(BadInput, match="has joined the cluster at"):
        citewise.open(str(address._replace(host="127.0.0.9")))


def test_another_version_is_refused(
    address: Address, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the client, and by a node for a client that does not look."""
    monkeypatch.setattr(opening, "installed_version", lambda: "9.9")
    with pytest.raises(BadLibrary, match=r"the cluster runs citewise .*, and this is 9\.9"):
        citewise.open(str(address))
    monkeypatch.setattr(stores(library).transport, "_version", "9.9")
    with pytest.raises(Unavailable, match=r"this client is 9\.9; install the same version"):
        library.answer(QUERIES[0])


def test_another_version_is_told_so_whatever_it_asks(shards: Path) -> None:
    """Its calls may have classes that are not there any more: they are not read."""
    node = ShardNode(str(shards))
    question = Question("9.9", 1, 2, b"not a pickle")
    failures = unpacked(node._answered(question.encoded()))
    assert [failure.elsewhere for failure in failures] == [False, False]
    assert "this client is 9.9; install the same version" in failures[0].message


def test_an_open_shard_answers_while_another_is_opened(shards: Path) -> None:
    node = ShardNode(str(shards))
    assert not node.prepare(1, [0])
    calls = packed([tuple(Call(0, "titles", (np.arange(2),)))])
    question, answered = Question(installed_version(), 1, 1, calls).encoded(), []
    asking = threading.Thread(target=lambda: answered.append(node._answered(question)), daemon=True)
    with node._opening:  # as while a shard is opened
        asking.start()
        asking.join(20)
        assert answered
    assert unpacked(answered[0]) == [[PAPERS[0].title, PAPERS[3].title]]


def test_a_killed_worker_is_not_missed(whole: Library, address: Address, library: Library) -> None:
    for shard in (0, 2):  # a replica of shard 1 is killed where its file is lost
        os.kill(processes(address, shard)[0], signal.SIGKILL)
        assert answers(library, "bm25") == answers(whole, "bm25")
        wait_until(address, is_whole)
    assert stores(library).transport.traffic.retries > 0


def test_a_stopped_node_is_not_waited_for(
    whole: Library, address: Address, library: Library
) -> None:
    answers(library, "bm25")  # now it is known what is usual
    process = processes(address, 0)[0]
    os.kill(process, signal.SIGSTOP)
    try:
        assert answers(library, "bm25") == answers(whole, "bm25")
    finally:
        os.kill(process, signal.SIGCONT)
    assert stores(library).transport.traffic.hedged > 0


def test_a_killed_directory_comes_back(whole: Library, address: Address, library: Library) -> None:
    """Libraries that are open do not need it meanwhile."""
    ray, directory = opening.directory_of(address)
    before = cluster.status(address)
    ray.kill(directory, no_restart=False)
    assert answers(library, "bm25") == answers(whole, "bm25")
    wait_until(address, is_whole)
    after = cluster.status(address)
    assert after.generation == before.generation and after.services == before.services
    assert after.nodes.keys() == before.nodes.keys()


def asked_by_http(where: str) -> list[str]:
    """Return the papers that a server recommends for a draft."""
    draft = {"title": DRAFT.title, "abstract": DRAFT.abstract, "system": "bm25"}
    found = httpx.post(f"{where}v1/recommend", json=draft, timeout=60)
    assert found.status_code == 200, found.text
    return [each["paper"]["id"] for each in found.json()["recommendations"]]


def test_every_node_answers_by_http(whole: Library, address: Address, library: Library) -> None:
    """As the library does, and again after a server was killed."""
    servers = cluster.status(address).services
    expected = [each.paper.id for each in whole.answer(DRAFT, 20, "bm25")]
    assert len({*servers.values()}) == 3
    assert all(asked_by_http(where) == expected for where in servers.values())

    name, where = next(iter(servers.items()))
    ray, _ = opening.directory_of(address)
    ray.kill(ray.get_actor(name, NAMESPACE), no_restart=False)
    until(lambda: is_up(where))
    assert asked_by_http(where) == expected


def is_up(where: str) -> bool:
    try:
        return httpx.get(f"{where}readyz", timeout=10).status_code == 200
    except httpx.TransportError:
        return False


def test_a_lost_file_is_named_and_found_again(
    whole: Library, address: Address, library: Library, shards: Path
) -> None:
    """A replica that has it open goes on; without one, the error says what is missing."""
    folder = shards / manifests.folder_name(1) / manifests.shard_name(1)
    shutil.move(folder / "segment" / "records.zst", folder / "lost")
    one, *others = with_open(address, 1)
    os.kill(one, signal.SIGKILL)
    assert answers(library, "bm25") == answers(whole, "bm25")

    for other in others:
        os.kill(other, signal.SIGKILL)
    wait_until(address, lambda state: only_lacks(state, 1), 120)
    servers = cluster.status(address).services.values()
    assert {httpx.get(f"{each}readyz", timeout=60).status_code for each in servers} == {503}
    stores(library).transport.patience = 3.0
    expected = r"no replica of shard 1 of generation 1 answers .*records\.zst: missing"
    with pytest.raises(Unavailable, match=expected):
        answers(library, "bm25")

    shutil.move(folder / "lost", folder / "segment" / "records.zst")
    wait_until(address, is_whole)
    assert answers(library, "bm25") == answers(whole, "bm25")


def test_a_generation_is_switched_under_load(
    whole: Library, address: Address, library: Library, shards: Path, tmp_path: Path
) -> None:
    """Who has opened the old one goes on with it; who opens then gets the new one."""
    expected, stop = answers(whole, "bm25"), threading.Event()
    wrong: list[object] = []

    def ask() -> None:
        while not stop.is_set():
            try:
                wrong.extend([0] if answers(library, "bm25") != expected else [])
            except Exception as error:
                wrong.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    fresh = Paper("fresh", "Quokkas smile", year=2020)
    in_a_folder(tmp_path / "next", Given([*PAPERS, fresh, *SENTENCES]))
    cut(tmp_path / "next", 3, shards)
    assert cluster.switch(address).generation == 2
    newer = citewise.open(str(address))
    stop.set()
    asking.join()

    assert wrong == []
    assert stores(library).newest_generation() == newer.stores.info.generation == 2
    assert "fresh" in newer and "fresh" not in library


def test_a_killed_node_is_not_missed(address: Address) -> None:
    """Its shards are placed on the nodes that are left."""
    wait_until(address, is_whole)
    library = citewise.open(str(address))
    expected = answers(library, "bm25")
    nodes = known_nodes(address)
    assert nodes is not None
    end_node(nodes.processes[-1], signal.SIGKILL)
    assert answers(library, "bm25") == expected
    wait_until(address, lambda state: is_whole(state, nodes=2), 120)
    assert answers(library, "bm25") == expected


def test_answers_go_on_without_a_head(address: Address, shards: Path) -> None:
    """The last test of this cluster: a client that has opened the library needs no head."""
    wait_until(address, lambda state: is_whole(state, nodes=2), 120)
    library = citewise.open(str(address))
    expected = answers(library, "bm25")
    nodes = known_nodes(address)
    assert nodes is not None
    end_node(nodes.processes[0], signal.SIGKILL)
    assert answers(library, "bm25") == expected
    assert answers(library) == answers(citewise.open(shards))
    with pytest.raises(Unavailable, match="no cluster answers there"):
        citewise.open(str(address))

"""Does the tasks of a build on the nodes of a Ray cluster, which all see the same folders."""

from collections.abc import Iterator, Sequence
from typing import Any

from citewise.engines.dumps.tasks import Task, run
from citewise.engines.ray.addresses import Address
from citewise.engines.ray.connection import join
from citewise.engines.version import installed_version
from citewise.errors import BadLibrary, CitewiseError, Unavailable

_RETRIES = 3
"""How often a task is done again whose node has died."""


class RayWorkers:
    """The cores of a cluster; `count` tasks at once, 0 for as many as it has cores."""

    def __init__(self, address: Address, count: int = 0) -> None:
        self._address, self._count = address, count
        self._ray = join(address)

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:
        """Do tasks in any order; yield as each is done. A task whose node dies is done again."""
        ray = self._ray
        remote = ray.remote(_run).options(num_cpus=1, max_retries=_RETRIES)
        waiting, running = list(reversed(tasks)), set[Any]()
        while waiting or running:
            while waiting and len(running) < self._at_once():
                running.add(remote.remote(waiting.pop(), installed_version()))
            done, rest = ray.wait(list(running))
            running = set(rest)
            for each in done:
                self._finished(each)
                yield

    def close(self) -> None:
        """Leave the cluster; its nodes stay."""
        self._ray.shutdown()

    def _at_once(self) -> int:
        return self._count or int(self._ray.cluster_resources().get("CPU", 1))

    def _finished(self, done: Any) -> None:
        """Take a task's end; raise its error."""
        ray = self._ray
        try:
            ray.get(done)
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, CitewiseError | OSError):
                raise error.cause from None
            raise CitewiseError(f"a task failed on a node: {error}") from None
        except ray.exceptions.RayError as error:
            raise Unavailable(
                f"{self._address}: a task was lost {_RETRIES + 1} times ({error}); when the "
                "cluster is whole, run the same command again: it goes on where it was"
            ) from None


def _run(task: Task, version: str) -> None:
    """Do a task on a node; one with another version of citewise would write other files."""
    if version != installed_version():
        raise BadLibrary(
            f"a node runs citewise {installed_version()}, and this build {version}; install the "
            "same version everywhere"
        )
    run(task)

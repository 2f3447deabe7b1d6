"""Processes of this machine that do the tasks of a build."""

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
import traceback
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from citewise.engines.dumps.tasks import Task, run
from citewise.errors import CitewiseError
from citewise.library.reader_process import error_of

_GO_ON = "run the same command again: it goes on where it was"

Failure = tuple[str, str] | OSError
"""The class and the message of an error; one of the system passes as it is."""


class LocalWorkers:
    """Some processes, each with one task at a time; they end with the process that started them,
    however that ends.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._processes: dict[Connection, SpawnProcess] = {}

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:
        """Do tasks in any order; yield as each is done."""
        waiting = list(reversed(tasks))
        free = self._started(min(self._count, len(tasks)))
        busy: set[Connection] = set()

        while waiting or busy:
            while waiting and free:
                worker = free.pop()
                worker.send(waiting.pop())
                busy.add(worker)

            answered = wait(list(busy))
            for worker in [each for each in busy if each in answered]:
                self._finished(worker)
                busy.remove(worker)
                free.append(worker)
                yield

    def close(self) -> None:
        """End the processes."""
        for worker, process in self._processes.items():
            worker.close()
            process.kill()
            process.join()
        self._processes = {}

    def _started(self, count: int) -> list[Connection]:
        """Return the ends of pipes to this many workers, starting those that are missing."""
        context = multiprocessing.get_context("spawn")
        while len(self._processes) < count:
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs,), daemon=True)
            process.start()
            theirs.close()  # so that the pipe ends with the process
            self._processes[ours] = process
        return list(self._processes)[:count]

    def _finished(self, worker: Connection) -> None:
        """Take a worker's answer; raise the error of its task."""
        try:
            failure: Failure | None = worker.recv()
        except (EOFError, OSError):
            process = self._processes[worker]
            process.join()
            raise CitewiseError(
                f"a worker ended with code {process.exitcode}; was it out of memory? With fewer "
                f"--workers it needs less; {_GO_ON}"
            ) from None
        if isinstance(failure, OSError):
            raise failure
        if failure is not None:
            raise error_of(*failure)


def _work(pipe: Connection) -> None:
    """Do the tasks that come through a pipe, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, tasks), daemon=True).start()
    while True:
        failure = _failure(tasks.get())
        with contextlib.suppress(OSError):
            pipe.send(failure)


def _receive(pipe: Connection, tasks: "queue.SimpleQueue[Task]") -> None:
    """Pass tasks on; end this process where the other end is gone or a task cannot be read."""
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(1)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _failure(task: Task) -> Failure | None:
    """Do a task; return its error."""
    try:
        run(task)
        return None
    except CitewiseError as error:
        return type(error).__name__, str(error)
    except OSError as error:
        return OSError(error.errno, error.strerror, error.filename)
    except BaseException:
        return "CitewiseError", f"a worker failed; {_GO_ON}\n{traceback.format_exc()}"

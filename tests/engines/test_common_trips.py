"""Functions that run together share their round trips."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from citewise.engines.shards.scatter import Scatter
from citewise.engines.shards.transport import Call
from citewise.errors import Unavailable


class Echo:
    """Answers a call with its method's name; notes what came in each trip."""

    def __init__(self, broken: str = "") -> None:
        self.trips: list[list[str]] = []
        self._broken = broken

    def ask(self, calls: Sequence[Call]) -> list[Any]:
        self.trips.append(sorted(call.method for call in calls))
        if self._broken in self.trips[-1]:
            raise Unavailable("gone")
        return [f"{call.method} of {call.shard}" for call in calls]


def asking(scatter: Scatter, *methods: str) -> Callable[[], list[Any]]:
    """Return a function that asks two shards one question after the other."""
    return lambda: [scatter.all(method) for method in methods]


def test_questions_of_the_same_moment_are_one_trip() -> None:
    echo = Echo()
    scatter = Scatter(echo, 2)
    found = scatter.together(asking(scatter, "a", "b", "c"), asking(scatter, "x"), lambda: "none")
    assert found[0] == [[f"{each} of 0", f"{each} of 1"] for each in "abc"]
    assert found[1:] == [[["x of 0", "x of 1"]], "none"]
    assert echo.trips == [["a", "a", "x", "x"], ["b", "b"], ["c", "c"]]


def test_functions_within_functions_share_the_same_trips() -> None:
    echo = Echo()
    scatter = Scatter(echo, 1)
    inner = lambda: scatter.together(asking(scatter, "a"), asking(scatter, "b"))  # noqa: E731
    found = scatter.together(inner, asking(scatter, "c"))
    assert found == [[[["a of 0"]], [["b of 0"]]], [["c of 0"]]]
    assert echo.trips == [["a", "b", "c"]]


def test_alone_a_question_is_a_trip() -> None:
    echo = Echo()
    scatter = Scatter(echo, 1)
    scatter.together(asking(scatter, "a"), asking(scatter, "b"))
    assert scatter.all("c") == ["c of 0"]
    assert echo.trips == [["a", "b"], ["c"]]


def test_an_error_reaches_all_who_asked_and_the_caller() -> None:
    scatter, seen = Scatter(Echo(broken="b"), 1), []

    def told() -> None:
        try:
            scatter.all("b")
        except Unavailable as error:
            seen.append(str(error))
            raise

    with pytest.raises(Unavailable, match="gone"):
        scatter.together(told, told)
    assert seen == ["gone", "gone"]


def test_a_function_that_fails_does_not_hold_up_the_others() -> None:
    echo = Echo()
    scatter = Scatter(echo, 1)
    with pytest.raises(ZeroDivisionError):
        scatter.together(lambda: 1 // 0, asking(scatter, "a", "b"))
    assert echo.trips == [["a"], ["b"]]

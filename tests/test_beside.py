"""Calls that run beside their caller."""

import threading

import pytest

from citewise import beside
from citewise.beside import Beside, together


@pytest.mark.parametrize("cores", [1, 2])
def test_the_result_is_the_functions(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "_cores", lambda: cores)
    assert Beside(lambda: 3).result() == 3


@pytest.mark.parametrize("cores", [1, 2])
def test_what_the_function_raises_is_raised_where_the_result_is_asked_for(
    cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside, "_cores", lambda: cores)
    call = Beside(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        call.result()


def test_it_runs_while_its_caller_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "_cores", lambda: 2)
    started = threading.Event()
    call = Beside(started.set)
    assert started.wait(10), "it does not wait until the result is asked for"
    call.result()


def test_functions_run_together_return_in_their_order() -> None:
    assert together(lambda: 1, lambda: 2, lambda: 3) == [1, 2, 3]
    assert together(lambda: 1) == [1]


def test_functions_run_together_share_the_callers_thread() -> None:
    assert set(together(threading.get_ident, threading.get_ident)) == {threading.get_ident()}

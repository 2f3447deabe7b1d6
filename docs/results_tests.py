"""The sentence that says how much of the source the tests run."""

from measured import MISSING, result


def coverage() -> str:
    """Return the shares of lines and branches that the tests run."""
    found = result("coverage")
    if found is None:
        return f"Coverage: {MISSING}; run `make cover`."
    return (
        f"The tests run {found['lines run']:.1%} of the {found['lines']:,} lines and "
        f"{found['branches run']:.1%} of the {found['branches']:,} branches of `src/citewise` "
        f"(commit `{found['commit']}`; `make cover` measures it anew)."
    )

"""Choose k1 and b on the dev year of `cs` (2021); the test year is not looked at.

    python benchmarks/tune_bm25.py
"""

from bm25 import build_library, our_run
from measuring import save
from protocol import measure, saved_queries

GRID = [(k1, b) for k1 in (0.6, 0.9, 1.2, 1.6, 2.0, 3.0) for b in (0.4, 0.6, 0.75, 0.9)]
SAMPLE = 400


def main() -> None:
    asked = saved_queries("cs", 2021, least=5)
    sample = asked[:: max(len(asked) // SAMPLE, 1)][:SAMPLE]
    library = build_library()
    systems = [f"bm25(k1={k1},b={b},reach=2.0)" for k1, b in GRID]
    results = {system: measure(sample, our_run(library, sample, system)) for system in systems}
    save("tune-bm25", {"corpus": "cs", "year": 2021, "results": results})


if __name__ == "__main__":
    main()

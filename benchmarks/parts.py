"""What searching a large index in parts gains: the hits of drafts of `cs` by the whole index and by
its segments in two threads, in turns.

    python benchmarks/parts.py LIBRARY ...
"""

import sys

import numpy as np

from citewise.library.folder import LibraryFolder
from citewise.library.lexical import LexicalReader, segments_of
from citewise.library.lexical_parts import PartedReader, lexical_reader
from measuring import interleaved, median_ms, save
from protocol import saved_queries

DEPTH, DRAFTS, ROUNDS = 5_000, 60, 3


def main() -> None:
    save("parts", {"corpus": "cs, resampled", "hits": DEPTH, "rows": [*map(row, sys.argv[1:])]})


def row(path: str) -> dict:
    """Return what searches of a library take."""
    library = LibraryFolder(path)
    folder, papers = library.path / "lexical" / library.manifest.lexical, len(library.papers)
    readers = {"whole": LexicalReader(folder), "in parts": PartedReader(folder, library.terms)}
    drafts = [
        library.terms.of(f"{each.title} {each.abstract}")
        for each in saved_queries("cs", 2022, least=5)[:DRAFTS]
    ]
    asked = [(terms, counts.astype(np.float64), DEPTH) for terms, counts in drafts]
    taken = interleaved(
        ROUNDS, **{name: median_ms(each.hits, asked) for name, each in readers.items()}
    )
    return {
        "papers": papers,
        "papers of each segment": [each["max_doc"] for each in segments_of(folder)],
        "searched in parts": isinstance(
            lexical_reader(folder, library.terms, papers), PartedReader
        ),
        **{
            f"{name}, ms by round": [round(each, 1) for each in values]
            for name, values in taken.items()
        },
    }


if __name__ == "__main__":
    main()

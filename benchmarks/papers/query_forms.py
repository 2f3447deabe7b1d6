"""BM25 by the form of the query: Navigation's table 7, BIR's table 4, Citeomatic's table 5.

python benchmarks/papers/query_forms.py [cs] [elife]            (dev queries)
"""

import sys

from common import dev_of, library_of, rows_of, saved

FORMS = {
    "key terms, as Citeomatic takes them": "bm25-keyterms(preset=citeomatic)",
    "key terms, ours": "bm25-keyterms",
    "title": "bm25-title",
    "title and abstract": "bm25",
}


def main() -> None:
    found = {}
    for corpus in sys.argv[1:] or ("elife",):
        library = library_of(corpus)
        questions = dev_of(corpus, library)
        rows = rows_of(library, [*FORMS.values()], questions)
        found[corpus] = {
            "queries": len(questions),
            "rows": {form: rows[system] for form, system in FORMS.items()},
        }
    saved("query_forms", {"part": "dev", "corpora": found})


if __name__ == "__main__":
    main()

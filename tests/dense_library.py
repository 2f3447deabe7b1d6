"""A small library with vectors that can be worked out by hand."""

from pathlib import Path

import numpy as np

import citewise
from citewise.api import Library
from citewise.embed.word_vectors import WordVectors
from citewise.library import writer
from citewise.types import Paper

# Two stems, at right angles: a title of bees is (1, 0), one of ants (0, 1), one of both (.7, .7).
# A paper that knows neither has no vector. Only titles count.
MODEL = WordVectors.of(
    ["bee", "ant"], np.eye(2, dtype=np.float32), weights=(1.0, 0.0), precision="fp32"
)

PAPERS = [
    Paper("bees", "Bees", year=2000, references=("hive", "both")),  # row 0
    Paper("ants", "Ants", year=2001, references=("hill", "both")),  # row 1
    Paper("mixed", "Bees and ants", year=2002, references=("hive",)),  # row 2
    Paper("hive", "A hive", year=1990),  # row 3
    Paper("hill", "A hill", year=1991),  # row 4
    Paper("both", "Insects", year=1992),  # row 5
    Paper("young", "Bees", "again", year=2010, references=("hill",)),  # row 6
]


def dense_library(path: Path, papers: list[Paper] | None = None) -> Library:
    """Return a library with the vectors of `MODEL`, which is its own model."""
    citewise.add(PAPERS if papers is None else papers, path)
    citewise.open(path).stores.models.save("nnselect", MODEL.encoded())
    writer.embed(path, "nnselect", MODEL)
    return citewise.open(path)

"""Numbers that the five papers printed, for the page that redoes their tables."""

from collections.abc import Sequence

Rows = list[list[object]]


def numbers(text: str) -> Rows:
    """Return the rows of a small table: a name, a bar, and numbers with spaces between, a row a
    line.
    """
    parts = [line.partition("|") for line in text.strip().splitlines()]
    return [[name.strip(), *values.split()] for name, _, values in parts]


def turned(rows: Rows, names: Sequence[str]) -> Rows:
    """Return a table with rows and columns exchanged; `names` are those of the old columns."""
    return [[name, *(row[number] for row in rows)] for number, name in enumerate(names, 1)]


STATISTICS = numbers("""
papers                             | 6,892,252 50,227 47,347
citations                          | 44,400,729 156,807 825,371
citations a paper                  | 6.45 3.12 17.43
characters a paper                 | 1,391 1,193 1,504
queries, train                     | 3,343,809 27,322 26,793
queries, dev                       | 487,582 8,324 2,768
queries, test                      | 464,449 931 8,815
pairs, train                       | 32,470,673 106,011 558,674
pairs, dev                         | 5,985,787 38,628 66,655
pairs, test                        | 5,944,269 12,168 200,042
""")
"""Navigation and BIR, table 1: Open Research, DBLP, PubMed."""

OPENCORPUS = numbers("""
papers                             | 6,900,000
authors                            | 8,300,000
key phrases                        | 823,677
venues                             | 23,672
in-citations, mean (± deviation)   | 7.4(±38.1)
out-citations, mean (± deviation)  | 8.4(±14.4)
train, 1991 to 2014                | 5,500,000
dev, 2014 to 2015                  | 689,000
test, 2015 to 2016                 | 20,000
""")
"""Citeomatic, table 1."""

EVIDENCE = numbers("""
NER  | 23,803 117.46 20.27 19,041
SUMM | 79,345 118.89 20.37 59,659
MT   | 108,692 123.29 21.33 78,743
""")
"""ILCiteR, table 2: spans, characters and tokens a span, cited papers."""

MAIN = {
    "Open Research": numbers("""
BM25 of Citeomatic                       | – .058 – .218 – –
BM25 (Anserini)                          | .082 .089 .279 .312 .424 .421
Citeomatic                               | – .125 – .330 – –
BM25 + SciBERT-Large                     | .136 .132 .430 .431 .424 .421
BM25 + navigation + SciBERT-Large        | .154 .148 .451 .445 .658 .624
"""),
    "DBLP": numbers("""
BM25 of Citeomatic                       | – .119 – .425 – –
BM25 (Anserini)                          | .105 .194 .352 .585 .669 .691
ClusCite                                 | – .237 – .548 – –
Citeomatic                               | – .303 – .689 – –
BM25 + SciBERT-Large                     | .149 .272 .472 .714 .669 .691
BM25 + navigation + SciBERT-Large        | .148 .277 .469 .714 .817 .862
"""),
    "PubMed": numbers("""
BM25 of Citeomatic                       | – .209 – .574 – –
BM25 (Anserini)                          | .299 .268 .793 .721 .794 .765
ClusCite                                 | – .274 – .578 – –
Citeomatic                               | – .329 – .771 – –
BM25 + SciBERT-Large                     | .326 .304 .835 .792 .794 .765
BM25 + navigation + SciBERT-Large        | .324 .301 .836 .790 .903 .876
"""),
}
"""Navigation, tables 2 to 4 (BIR's table 2 has the same without navigation): F1@20, MRR and R@1000,
each of dev and test.
"""

PRETRAINED = numbers("""
NCBI, base                          | .093 .315
NCBI, large                         | .105 .352
Google, base                        | .113 .374
Google, large                       | .115 .373
Google, large, whole words          | .121 .399
RoBERTa, large                      | .125 .409
BioBERT 1.1, base                   | .128 .417
SciBERT, base, general vocabulary   | .125 .409
SciBERT, base                       | .131 .423
SciBERT, large, general vocabulary  | .135 .420
SciBERT, large                      | .137 .430
""")
"""Navigation, table 5; BIR, table 3: F1@20 and MRR."""

ROUNDS = numbers("""
0 rounds | .131 .423 .423 .146
1 round  | .151 .449 .658 .126
2 rounds | .148 .446 .681 .120
3 rounds | .147 .445 .681 .118
""")
"""Navigation, table 6: F1@20, MRR, R@1000, term overlap."""

FORMS = numbers("""
key terms (Whoosh) | .065 .251 .282 .201 .595 .604 .130 .425 .510
title              | .063 .244 .287 .199 .584 .654 .133 .424 .551
title and abstract | .095 .351 .363 .268 .720 .765 .194 .585 .691
""")
"""Navigation, table 7; BIR, table 4: F1@20, MRR, R@1000 of Open Research, PubMed, DBLP."""

NEIGHBOURS = numbers("""
fewest       | .123 .079 131
5, the best  | .142 .080 144
more         | .138 .069 200
most         | .081 .040 362
""")
"""Citeomatic, table 4: R@20, P@20, milliseconds, by the number of neighbours; the text that we have
names only the best number.
"""

CITEOMATIC = numbers("""
BM25                           | .119 .425 .209 .574 .058 .218
ClusCite                       | .237 .548 .274 .578 – –
NNSelect                       | .282(±.002) .579(±.007) .309(±.001) .699(±.001) .109 .221
NNSelect + NNRank              | .302(±.001) .672(±.015) .325(±.001) .754(±.003) .126 .330
NNSelect + NNRank + metadata   | .303(±.001) .689(±.011) .329(±.001) .771(±.003) .125 .330
""")
"""Citeomatic, table 2: F1@20 and MRR of DBLP, PubMed, OpenCorpus."""

LEFT_OUT = numbers("""
full model                        | .329 .771
without the words in common       | .296 .653
without neighbours as negatives   | .306 .705
without numbers                   | .314 .735
""")
"""Citeomatic, table 3: F1@20 and MRR of PubMed."""

WHOOSH = numbers("""
Ren et al. (2014)  | .111 .411 .153 .497
Citeomatic's       | .119 .425 .209 .574
""")
"""Citeomatic, table 5: F1@20 and MRR of BM25 on DBLP and PubMed."""

DETAILED = numbers("""
BM25                | .126 .0902 .1431 .11 .4107 .1847 .1349 .1754 .15 .4971
L2-LR               | .2274 .1677 .2471 .200 .4866 .2527 .1959 .2504 .2200 .5308
ClusCite            | .2429 .1958 .2993 .237 .5481 .3019 .2434 .3129 .274 .5787
NNSelect            | .287 .230 .363 .282 .579 .388 .316 .302 .309 .699
NNSelect + NNRank   | .339 .247 .390 .302 .672 .421 .332 .318 .325 .754
… + metadata        | .345 .247 .390 .303 .689 .429 .337 .322 .329 .771
""")
"""Citeomatic, table 10: P@10, P@20, R@20, F1@20, MRR of DBLP and PubMed."""

SIZES = numbers("""
BM25      | 40.4 73.8 43.0 32.8 68.9 36.4 27.4 64.9 31.6 22.5 60.8 26.9
SciBERT   | 5.5 40.3 5.6 4.6 38.5 3.9 4.1 37.3 3.0 3.8 36.5 2.2
SPECTER   | 37.4 72.0 40.9 29.5 66.5 33.9 24.1 62.1 28.7 19.2 57.8 23.8
SciNCL    | 42.5 75.2 45.2 33.4 69.3 37.6 27.1 64.6 31.9 21.6 60.0 26.5
ASPIRE-BM | 41.4 74.7 43.3 32.6 68.9 35.9 25.7 63.5 30.5 20.4 59.0 25.2
""")
"""MDCR, table 1: MAP, NDCG and R@30, in hundredths, of 200,000, 500,000, one and two million."""

FIELDS = [
    "Art",
    "Bio",
    "Bus",
    "Ch",
    "CS",
    "Eco",
    "Eng",
    "ES",
    "Geog",
    "Geol",
    "His",
    "MS",
    "Mat",
    "Med",
    "Phi",
    "Phy",
    "PS",
    "Psy",
    "Soc",
    "average",
]
MODELS = ["BM25", "SciBERT", "SPECTER", "SciNCL", "ASPIRE-BM", "ASPIRE-CS"]

FIELD_MAP = numbers("""
BM25      | 36.1 44.3 21.2 42.6 35.6 26.4 34.2 27.5 29.2 32.1 32.8 34.9 35.6 46.3 25.0 35.8 21.2 31.9 17.7 32.1
SciBERT   | 6.2 6.7 3.2 6.7 4.2 4.7 4.6 4.8 4.8 4.7 5.3 4.4 4.9 5.4 3.5 5.5 2.8 5.0 3.0 4.8
SPECTER   | 25.1 37.0 18.0 35.4 33.7 22.6 28.5 22.6 20.1 20.3 17.4 29.0 31.5 48.6 16.2 27.5 14.4 32.0 14.3 26.0
SciNCL    | 26.9 42.2 18.7 39.6 37.8 23.4 31.5 25.5 23.7 22.7 20.7 30.9 33.5 52.4 18.7 31.4 16.5 34.1 15.7 28.7
ASPIRE-BM | 26.8 44.7 19.3 39.9 35.3 24.3 29.7 24.5 23.3 22.9 20.1 29.8 33.1 52.1 17.2 30.0 15.9 33.1 14.3 28.2
ASPIRE-CS | 25.8 37.1 20.0 34.9 35.8 23.5 30.2 21.9 21.7 20.1 18.4 27.5 34.2 46.5 17.1 29.0 15.3 32.7 15.7 26.7
""")  # noqa: E501
"""MDCR, table 2."""

FIELD_NDCG = numbers("""
BM25      | 64.2 78.8 56.9 76.2 69.3 65.0 68.0 62.6 64.5 69.2 62.7 69.8 70.1 77.8 56.9 70.1 56.2 70.2 54.0 66.5
SciBERT   | 33.2 45.8 33.6 43.7 36.0 39.6 36.4 36.8 37.6 39.6 32.9 37.3 37.9 39.8 31.2 39.5 32.1 40.9 32.9 37.2
SPECTER   | 53.5 74.2 53.9 71.8 67.7 61.9 63.6 58.2 56.5 59.2 47.0 65.6 66.5 79.2 48.6 63.8 49.2 70.5 49.9 61.1
SciNCL    | 55.3 77.5 54.1 74.0 70.3 62.5 66.0 60.7 59.6 61.2 50.5 67.0 68.0 81.1 50.8 67.1 51.4 71.7 51.3 63.1
ASPIRE-BM | 55.6 79.2 55.2 74.4 69.1 63.5 64.8 60.0 59.4 61.5 50.1 66.2 68.1 81.0 50.1 66.2 50.6 70.9 49.8 62.9
ASPIRE-CS | 54.8 74.2 56.1 71.1 69.4 62.9 65.0 57.7 57.8 59.0 48.1 64.3 69.1 77.9 49.6 65.5 50.4 70.8 51.4 61.8
""")  # noqa: E501
"""MDCR, table 7."""

FIELD_RECALL = numbers("""
BM25      | 46.5 38.9 27.5 41.7 43.1 29.7 42.7 35.3 34.6 34.2 42.7 39.5 42.2 48.2 34.0 40.9 28.3 32.0 24.0 37.2
SciBERT   | 9.0 4.8 2.1 5.8 5.0 3.3 5.5 5.1 5.0 3.9 8.0 4.1 6.0 4.8 3.8 6.6 1.6 3.4 2.4 4.8
SPECTER   | 35.5 33.4 24.7 35.3 41.9 25.7 36.4 30.3 24.3 23.4 24.8 34.2 38.5 49.0 24.1 33.4 19.9 32.6 19.8 30.9
SciNCL    | 38.9 36.8 25.4 39.3 46.4 26.0 39.5 33.0 28.0 25.5 28.2 35.5 40.2 52.0 26.4 37.1 23.0 34.7 21.5 33.5
ASPIRE-BM | 34.9 38.2 25.1 38.6 42.5 27.3 37.0 31.5 27.5 25.3 28.0 34.5 39.9 51.6 25.0 35.2 22.2 32.3 19.2 32.4
ASPIRE-CS | 34.9 33.0 25.5 34.7 42.1 25.9 37.5 29.4 25.6 23.2 25.3 33.0 40.1 47.3 24.7 34.5 21.4 32.2 20.1 31.1
""")  # noqa: E501
"""MDCR, table 8."""

POOLS = numbers("""
Art | 38.2 32.3 22.4 16.6 34.1 28.8 34.7 29.2 34.0 27.7 34.1 28.0
Bio | 38.3 33.6 20.4 14.0 34.6 30.0 36.8 32.3 38.7 33.7 35.7 29.9
Bus | 28.1 22.5 19.1 13.1 27.5 21.8 28.5 24.6 28.5 23.4 29.6 23.1
Ch | 38.0 32.6 20.0 13.7 33.7 29.3 36.5 31.5 36.5 31.0 34.1 28.3
CS | 34.8 30.5 19.5 12.7 35.6 30.4 37.2 32.2 35.4 30.4 35.4 30.1
Eco | 30.5 26.0 21.4 15.4 27.3 21.9 28.3 23.2 29.3 24.3 28.0 22.7
Eng | 34.6 29.3 20.5 13.9 31.3 27.3 34.2 28.0 32.7 27.7 33.4 28.1
ES | 31.6 26.2 21.3 15.1 30.1 24.2 31.5 25.5 30.8 24.7 29.9 23.7
Geog | 31.8 27.8 21.9 16.7 26.4 22.2 29.5 23.8 30.3 26.0 28.4 22.2
Geol | 33.1 28.0 19.5 13.9 24.8 20.1 25.7 19.9 28.5 23.5 25.8 21.4
His | 38.1 32.9 20.8 15.2 27.1 20.6 30.9 23.9 31.0 24.2 28.5 22.1
MS | 36.1 30.7 22.1 15.5 34.1 28.2 35.8 29.6 35.8 29.8 34.0 29.2
Mat | 35.3 28.3 22.8 18.3 34.2 28.9 34.9 30.1 36.2 31.0 36.9 32.2
Med | 38.6 32.5 22.0 16.4 41.4 36.3 42.7 36.5 44.0 37.8 41.7 36.7
Phi | 30.2 25.7 19.2 13.3 27.1 21.1 29.9 23.5 28.7 24.1 29.1 23.3
Phy | 35.1 30.2 23.9 18.1 30.8 26.3 34.5 30.3 32.9 27.7 32.9 28.7
PS | 28.6 23.1 19.4 14.0 24.2 18.0 26.4 21.7 25.9 21.2 26.8 21.7
Psy | 32.5 28.9 20.3 16.2 32.3 28.1 34.2 30.5 34.3 29.4 34.2 28.3
Soc | 26.8 20.5 20.2 15.8 25.2 20.5 26.7 21.9 27.3 22.2 26.7 22.2
average | 33.7 28.5 20.9 15.2 30.6 25.5 32.6 27.3 32.7 27.4 31.8 26.4
""")
"""MDCR, table 3: MAP and R@5 of each model."""

KINDS = numbers("""
BM25      | 52.2 39.0 68.8 57.5 68.0 56.9 58.0 46.7 90.3 82.2 93.0 86.3
SciBERT   | 50.5 39.1 47.6 36.0 49.0 37.7 47.2 36.1 79.6 69.3 84.9 75.8
SPECTER   | 67.4 56.3 51.1 38.7 57.8 45.8 57.3 46.3 92.8 86.5 99.0 97.1
SciNCL    | 68.3 57.6 61.2 49.8 54.1 42.1 58.1 47.3 94.0 88.3 99.0 97.2
ASPIRE-BM | 66.7 55.6 57.7 46.5 59.3 47.5 57.3 46.5 93.6 87.6 99.1 97.2
ASPIRE-CS | 66.0 54.9 55.7 43.8 58.5 46.8 57.2 46.6 94.3 88.7 98.9 96.8
average   | 61.8 50.4 57.0 45.4 57.8 46.1 55.9 44.9 90.8 83.8 95.7 91.7
""")
"""MDCR, table 4: MAP and R@5 against negatives of BM25, SPECTER, SciNCL, graph, most cited, random.
"""

SCIDOCS = numbers("""
SciBERT   | 48.3 71.7
SPECTER   | 88.3 94.9
SciNCL    | 93.6 97.3
TS-ASPIRE | 91.0 95.0
""")
"""MDCR, table 6, as reported before: MAP and NDCG on SciDocs' "Cite"."""

SPANS = numbers("""
NER, BM25Okapi               | .34558 .260 .380 .430 .512
NER, BM25Plus                | .34735 .262 .386 .436 .510
NER, conditional ensemble    | .35155 .266 .390 .438 .514
SUMM, BM25Okapi              | .37052 .282 .410 .458 .530
SUMM, BM25Plus               | .37324 .284 .410 .460 .540
SUMM, conditional ensemble   | .37687 .290 .414 .458 .542
MT, BM25Okapi                | .43568 .332 .506 .546 .620
MT, BM25Plus                 | .44071 .338 .500 .558 .636
MT, conditional ensemble     | .44456 .342 .516 .556 .628
""")
"""ILCiteR, table 4: MRR, R@1, R@3, R@5, R@10."""

ENSEMBLES = numbers("""
NER, SciBERT alone               | .26246 .188 .268 .342 .428
NER, BM25Okapi + SciBERT         | .31272 .228 .334 .404 .506
NER, BM25Plus + SciBERT          | .30772 .220 .338 .400 .496
NER, both BM25s + SciBERT        | .31502 .222 .344 .418 .510
NER, conditional ensemble        | .35155 .266 .390 .438 .514
SUMM, SciBERT alone              | .31555 .234 .346 .392 .496
SUMM, BM25Okapi + SciBERT        | .34795 .266 .374 .414 .520
SUMM, BM25Plus + SciBERT         | .35251 .274 .370 .408 .526
SUMM, both BM25s + SciBERT       | .35822 .270 .392 .438 .530
SUMM, conditional ensemble       | .37687 .290 .414 .458 .542
MT, SciBERT alone                | .38589 .288 .430 .488 .560
MT, BM25Okapi + SciBERT          | .42961 .342 .458 .514 .614
MT, BM25Plus + SciBERT           | .44116 .352 .472 .542 .630
MT, both BM25s + SciBERT         | .44305 .356 .474 .540 .636
MT, conditional ensemble         | .44456 .342 .516 .556 .628
""")
"""ILCiteR, table 5: MRR, R@1, R@3, R@5, R@10."""

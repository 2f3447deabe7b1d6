"""Zotero's types of items, in its RDF and JSON exports."""

KINDS = {
    "journalArticle": "article",
    "magazineArticle": "article",
    "newspaperArticle": "article",
    "conferencePaper": "inproceedings",
    "presentation": "inproceedings",
    "book": "book",
    "bookSection": "chapter",
    "encyclopediaArticle": "chapter",
    "dictionaryEntry": "chapter",
    "thesis": "thesis",
    "report": "report",
    "standard": "report",
    "preprint": "preprint",
    "manuscript": "preprint",
    "dataset": "dataset",
    "computerProgram": "software",
}

NOT_REFERENCES = frozenset(("attachment", "note", "annotation"))
"""Types of what belongs to an item."""

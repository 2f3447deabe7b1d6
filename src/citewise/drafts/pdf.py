"""Read drafts in PDF: title, authors, abstract, prose, and the printed list of references."""

import itertools

from citewise.drafts.draft import Draft
from citewise.drafts.embedded import numbered, printed_references
from citewise.drafts.prose import stand_in
from citewise.pdf.article import Article, read_article
from citewise.text import section_names


def read_pdf(content: bytes, name: str) -> Draft:
    """Return the draft in a PDF, which messages call `name`."""
    article = read_article(content, name)
    abstract, instead = (article.abstract, "") if article.abstract else _beginning(article)
    references = printed_references(entry.text for entry in article.references)
    return Draft(
        title=article.title,
        abstract=abstract,
        cited_keys=numbered(references),
        authors=article.authors,
        abstract_from=instead,
        references=references,
        lost=(f"{name}: {article.unread}",) if article.unread else (),
    )


def pdf_paragraphs(content: bytes, name: str) -> list[str]:
    """Return the paragraphs of running text in a PDF, its abstract first."""
    article = read_article(content, name)
    prose = itertools.chain.from_iterable(part.paragraphs for part in article.sections)
    return [*filter(None, (article.abstract, *prose))]


def _beginning(article: Article) -> tuple[str, str]:
    """Return what stands in for the abstract, and what that is."""
    text = stand_in(" ".join(itertools.chain.from_iterable(s.paragraphs for s in article.sections)))
    first = article.sections[0].heading if article.sections else ""
    instead = "the introduction" if section_names.is_introduction(first) else "the first pages"
    return text, instead if text else ""

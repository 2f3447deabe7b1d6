"""The prompts: what authors ask an assistant to do with the tools, ready-made."""

from typing import Annotated

from pydantic import Field

Section = Annotated[str, Field(description="The text of the section.")]
Title = Annotated[str, Field(description="The draft's title.")]
Abstract = Annotated[str, Field(description="The draft's abstract.")]


def find_missing_citations(section: Section, title: Title = "", abstract: Abstract = "") -> str:
    """Find what my related-work section misses."""
    return f"""Find the papers that the related-work section below should cite and does not.

1. Call recommend_papers with the title and abstract (or with the section as `text` where there is
   no abstract), k=20 and evidence=1. Give as `cited` the ids or DOIs that you can see.
2. Call check_passage with the section, to see which sentences lack a citation.
3. Look closer where you are not sure: get_paper for an abstract, get_evidence for what others cite
   a paper for, get_citers and get_references for what is around it.
4. Report at most ten papers, grouped by the part of the section where each belongs: what it would
   add, in one sentence, and why the tools recommend it. Say which sentences need a citation. Leave
   out what the section cites already, and recommend nothing that the tools did not return.
5. Offer the BibTeX of those that the author wants: export_bibliography.

{_draft(title, abstract)}The section:

{section}
"""


def cite_paragraph(paragraph: Section, title: Title = "") -> str:
    """Put citations into a paragraph."""
    return f"""Put citations into the paragraph below.

1. Call check_passage with the paragraph.
2. For each sentence that makes a claim or names a method, choose from its papers those that support
   exactly that; where none is clear, call cite_sentence with evidence=3 and read the quotations.
   Rather leave a sentence without a citation than cite a paper that does not support it.
3. Call export_bibliography for the ids you chose, and use its citation keys.
4. Show the paragraph with the citations, then for each citation the quotation or the part of the
   abstract that supports it, then the BibTeX.

{_draft(title, "")}The paragraph:

{paragraph}
"""


def make_reading_list(
    topic: Annotated[str, Field(description="What to read about, in a sentence or two.")],
) -> str:
    """Make a reading list from my library."""
    return f"""Make a reading list from the author's own library on this topic: {topic}

1. Call describe_library, then recommend_papers with the topic as title, k=20.
2. Take the three best and call get_references and get_citers, to see what they build on and what
   builds on them.
3. List eight to twelve papers in the order in which to read them, older foundations first, each
   with its id, its year and one sentence on why it is there. Name only papers that the tools
   returned, and say where the library seems to have gaps.
"""


def _draft(title: str, abstract: str) -> str:
    """Return what is known of the draft as lines above its text."""
    parts = [("Title of the draft", title), ("Abstract", abstract)]
    return "".join(f"{name}: {value.strip()}\n\n" for name, value in parts if value.strip())

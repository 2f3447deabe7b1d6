"""Find a paper's ids in registries and its web address."""

from urllib.parse import quote

from citewise.types import Paper

_SAFE = "/:;.,()-_~+=!*'@&$%?#"


def registered(paper: Paper, scheme: str) -> str:
    """Return the paper's id in a registry, without the scheme, or ""."""
    named = (key for key in (paper.id, *paper.ids) if key.startswith(f"{scheme}:"))
    return next(named, "").removeprefix(f"{scheme}:")


def web_address(paper: Paper) -> str:
    """Return the address of a paper's page at doi.org, at arXiv or as its source gave it, or ""."""
    if registered(paper, "doi"):
        return f"https://doi.org/{quote(registered(paper, 'doi'), safe='/:;.,()-_~+=!*@$')}"
    if registered(paper, "arxiv"):
        return f"https://arxiv.org/abs/{quote(registered(paper, 'arxiv'))}"
    return given_address(paper)


def given_address(paper: Paper) -> str:
    """Return the web address that the paper's source gave, or ""."""
    address = paper.details.get("url", "").strip()
    return quote(address, safe=_SAFE) if address.lower().startswith(("http://", "https://")) else ""

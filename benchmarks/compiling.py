"""Compile a bibliography with pdfLaTeX, by BibTeX and by biber, and list what these complain of."""

import re
import subprocess
from pathlib import Path

DOCUMENTS = {
    "bibtex": (
        r"\documentclass{article}\begin{document}\nocite{*}\bibliographystyle{plain}"
        r"\bibliography{all}\end{document}"
    ),
    "biber": (
        r"\documentclass{article}\usepackage[backend=biber]{biblatex}\addbibresource{all.bib}"
        r"\begin{document}\nocite{*}\printbibliography\end{document}"
    ),
}
"""Documents that load nothing else."""

_ERROR = re.compile(r"^! .*(?:\n.*){0,4}|^ERROR - .*|^.*---line \d+ of file .*", re.MULTILINE)


def errors_of(text: str, folder: Path, backend: str) -> list[str]:
    """Return the errors of a document that cites every entry of a BibTeX text."""
    (folder / "all.bib").write_text(text, encoding="utf-8")
    (folder / "main.tex").write_text(DOCUMENTS[backend])
    latex = ["pdflatex", "-interaction=nonstopmode", "main.tex"]
    for command in (latex, [backend, "main"], latex, latex):
        subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)

    logs = [folder / "main.log", folder / "main.blg"]
    found = [_ERROR.findall(log.read_text(errors="replace")) for log in logs]
    if not (folder / "main.pdf").exists():
        found.append(["no PDF was written"])
    return [error for each in found for error in each]


def entries_set(folder: Path) -> int:
    """Return how many entries the last compilation has in its bibliography."""
    lines = (folder / "main.bbl").read_text(errors="replace")
    return len(re.findall(r"\\bibitem|\\entry\{", lines))

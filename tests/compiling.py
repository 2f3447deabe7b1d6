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

ATTEMPTS = 8
"""Times that biber is run: that of Debian 12 (2.18) now and then ends with a segmentation fault in
its parser, on the original files as on ours, and not the next time.
"""

_ERROR = re.compile(r"^! .*(?:\n.*){0,4}|^ERROR - .*|^.*---line \d+ of file .*", re.MULTILINE)


def errors_of(text: str, folder: Path, backend: str) -> list[str]:
    """Return the errors of a document that cites every entry of a BibTeX text."""
    (folder / "all.bib").write_text(text, encoding="utf-8")
    (folder / "main.tex").write_text(DOCUMENTS[backend])
    latex = ["pdflatex", "-interaction=nonstopmode", "main.tex"]
    _run(latex, folder)
    for _ in range(ATTEMPTS):
        if "SEGV" not in _run([backend, "main"], folder):
            break
    for _ in range(2):
        _run(latex, folder)

    logs = [folder / "main.log", folder / "main.blg"]
    found = [_ERROR.findall(log.read_text(errors="replace")) for log in logs]
    if not (folder / "main.pdf").exists():
        found.append(["no PDF was written"])
    return [error for each in found for error in each]


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)
    return (done.stdout + done.stderr).decode(errors="replace")


def entries_set(folder: Path) -> int:
    """Return how many entries the last compilation has in its bibliography."""
    lines = (folder / "main.bbl").read_text(errors="replace")
    return len(re.findall(r"\\bibitem|\\entry\{", lines))

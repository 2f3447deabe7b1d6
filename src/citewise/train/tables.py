"""What a training found, as tables for a terminal, as Markdown and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import msgspec
from rich.console import RenderableType

from citewise.evaluate.tables import Section, drawn, written
from citewise.train.feedback import FeedbackFindings
from citewise.train.training import Training

_MOST_FEATURES = 25


def as_table(training: Training) -> RenderableType:
    """Return all tables, for a terminal."""
    return drawn(_sections(training))


def as_markdown(training: Training) -> str:
    """Return all tables as Markdown."""
    return written(_sections(training))


def as_json(training: Training) -> str:
    """Return everything but the model and its calibration as one JSON document."""
    left_out = ("model", "calibrated")
    document = {name: value for name, value in asdict(training).items() if name not in left_out}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _sections(training: Training) -> Iterator[Section]:
    yield _figures(
        "Quality",
        training.quality,
        f"On {training.queries['dev']:,} dev queries; learned from "
        f"{training.queries['train']:,} queries in {training.seconds['fitting']:,.0f} s.",
    )
    if training.feedback:
        yield _feedback(training, training.feedback)
    if training.ablation:
        yield _figures(
            "Left out",
            training.ablation,
            "Trees fitted again without a family of features; none of these "
            "sees a linear step's score.",
        )
    yield Section(
        "Worth",
        ["feature", "share of the gain"],
        [[name, f"{share:.1%}"] for name, share in [*training.worth.items()][:_MOST_FEATURES]],
    )
    if training.calibration:
        yield calibration_section(training.calibration)


def _feedback(training: Training, found: FeedbackFindings) -> Section:
    """Return what was used of the user's feedback, and whether it helped."""
    rows = [[name, f"{count:,}"] for name, count in found.counts.items()]
    if found.pairs:
        rows.append(["held-out pairs", f"{found.pairs:,}"])
        rows.append(["in the right order, trained without feedback", f"{found.without:.1%}"])
        rows.append(["in the right order, trained with it", f"{found.trained:.1%}"])

    with_it, without = (
        f"{training.quality[name][training.measure]:.3f}"
        for name in ("trained", "without feedback")
    )
    note = (
        f"{_verdict(found)} On dev papers, {training.measure} is {with_it} with it and {without} "
        "without it."
    )
    return Section("Feedback", ["", ""], rows, note)


def _verdict(found: FeedbackFindings) -> str:
    """Return in words whether feedback helped on the drafts that were held out."""
    if found.trained is None or found.without is None:
        return "No held-out draft has both accepted and rejected papers, so dev papers alone tell."
    helped = "helped" if found.trained > found.without else "did not help"
    return (
        f"Feedback {helped} on drafts that were not learned from (pairs of an accepted and a "
        "rejected paper)."
    )


def calibration_section(tenths: Sequence[Mapping[str, float]]) -> Section:
    """Return the table of expected and true shares, by tenths of the candidates."""
    return Section(
        "Calibration",
        ["expected to be cited", "cited", "candidates"],
        [
            [f"{part['expected']:.1%}", f"{part['cited']:.1%}", f"{part['candidates']:,.0f}"]
            for part in tenths
        ],
        "Of the 20 best of every other dev query, by tenths; fitted on the others.",
    )


def _figures(title: str, found: dict[str, dict[str, float]], note: str) -> Section:
    measures = [*next(iter(found.values()))]
    rows = [
        [name, *(f"{figures[measure]:.3f}" for measure in measures)]
        for name, figures in found.items()
    ]
    return Section(title, ["", *measures], rows, note)

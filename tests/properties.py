"""How many examples of a property are tried."""

from hypothesis import settings


def examples(count: int) -> settings:
    """Try this many examples, or as few as any property has in the profile `quick`."""
    if settings.get_current_profile_name() == "quick":
        count = min(count, settings().max_examples)
    return settings(max_examples=count)

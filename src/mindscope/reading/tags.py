# SPDX-License-Identifier: Apache-2.0
"""Lookup of kinds and tags by name, with suggestions."""

from __future__ import annotations

from difflib import get_close_matches

from mindscope.errors import SettingsError, TagNotFoundError
from mindscope.store import RunStore
from mindscope.types import Kind


def kind_called(name: Kind | str) -> Kind:
    """Return the kind with this name. Raises SettingsError, which lists all kinds, if there is none."""
    try:
        return Kind(name)
    except ValueError:
        raise SettingsError(f"kind is {name!r}, want one of {', '.join(map(str, Kind))}") from None


def tag_not_found(store: RunStore, kind: Kind, tag: str) -> TagNotFoundError:
    """Return the error for a missing tag of a kind, with similar tags."""
    other = [str(each) for each, other in store.series if other == tag]
    tags = store.tags(kind)
    near = get_close_matches(tag, tags, n=3, cutoff=0.5) or list(tags[:3])
    if other:
        remedy = f"it is there as {' and '.join(other)}"
    elif near:
        remedy = f"did you mean {' or '.join(map(repr, near))}?"
    else:
        remedy = f"the run has none; it has {', '.join(map(str, store.tag_counts())) or 'no values yet'}"
    return TagNotFoundError(f"{kind} tag {tag!r} is not in run {store.name!r}: {remedy}")

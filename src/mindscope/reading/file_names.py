# SPDX-License-Identifier: Apache-2.0
"""Makes safe file names from tags, which may hold any text."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import quote

LONGEST_BYTES = 160
"""File systems allow 255 bytes; the rest is for steps and suffixes."""


def file_names(tags: Iterable[str]) -> dict[str, str]:
    """A file name for each tag: readable, no separators, never hidden, unique even on case-insensitive file systems.

    Letters, digits and ``_ - . ~`` stay; other characters are percent-encoded as UTF-8, so that the name can be decoded
    to the tag. If a name is too long or taken, it is cut and gets ``~`` and a part of the tag's hash.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for tag in dict.fromkeys(tags):
        name = quoted(tag)
        if len(name) > LONGEST_BYTES or name.casefold() in taken:
            name = f"{name[:LONGEST_BYTES]}~{sha256(tag.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        taken.add(name.casefold())
        names[tag] = name
    return names


def quoted(text: str) -> str:
    """One path component that encodes ``text``; the empty text is ``%``."""
    name = quote(text, safe="", errors="surrogatepass")
    return f"%2E{name[1:]}" if name.startswith(".") else name or "%"

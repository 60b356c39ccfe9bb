# SPDX-License-Identifier: Apache-2.0
"""File names from tags: any text a log may hold, made safe to write to."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import quote

LONGEST_BYTES = 160
"""File systems take 255 bytes; this leaves room for steps and suffixes."""


def file_names(tags: Iterable[str]) -> dict[str, str]:
    """A file name for each tag: readable, without separators, never hidden, no two equal even where case is ignored.

    Letters, digits and ``_ - . ~`` stay; everything else becomes ``%`` and two hexadecimal digits of its UTF-8, so that
    the tag can be had back. A name too long or taken is cut and marked with ``~`` and digits of the tag's hash.
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
    """One path component that stands for ``text``; the empty text is ``%``."""
    name = quote(text, safe="", errors="surrogatepass")
    return f"%2E{name[1:]}" if name.startswith(".") else name or "%"

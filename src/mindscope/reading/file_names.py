# SPDX-License-Identifier: Apache-2.0
"""Makes safe file names from tags and ids of runs, which may hold any text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import quote

LONGEST_BYTES = 160
"""File systems allow 255 bytes; the rest is for steps and suffixes."""
_SAFE_PUNCTUATION = "_-.~=,+@()[]"
_LAST_CHARACTER = re.compile(r"(%[0-9A-F]{2})+\Z|.\Z", re.DOTALL)


def file_names(texts: Iterable[str]) -> dict[str, str]:
    """Return a file name for each tag or id, unique also where case does not matter.

    It is readable, without separators, and never hidden.

    Letters and digits of all languages and ``_-.~=,+@()[]`` stay; others are percent-encoded as UTF-8, so that the name
    can be decoded to the text. A name that is too long or taken is cut and gets ``~`` and a part of the hash.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for text in dict.fromkeys(texts):
        name = quoted(text)
        if len(name.encode()) > LONGEST_BYTES or _folded(name) in taken:
            name = f"{_cut(name)}~{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        taken.add(_folded(name))
        names[text] = name
    return names


def quoted(text: str) -> str:
    """Return one path component that encodes ``text``; the empty text is ``%``."""
    name = "".join(map(_quoted_character, text))
    return f"%2E{name[1:]}" if name.startswith(".") else name or "%"


def _quoted_character(character: str) -> str:
    if character in _SAFE_PUNCTUATION or unicodedata.category(character)[0] in "LNM":
        return character
    return quote(character, safe="", errors="surrogatepass")


def _cut(name: str) -> str:
    """Return the beginning of ``name``, without a part of a character or of its encoding."""
    while len(name.encode()) > LONGEST_BYTES:
        name = _LAST_CHARACTER.sub("", name)
    return name


def _folded(name: str) -> str:
    """Return the form of a name that is equal for names that some file systems take for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())

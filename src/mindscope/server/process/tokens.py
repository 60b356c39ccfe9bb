# SPDX-License-Identifier: Apache-2.0
"""The tokens of a viewer: random ones, or those of a file."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path

from mindscope.errors import SettingsError
from mindscope.setting_values import Given, parse_token
from mindscope.settings import Settings

TOKEN_BYTES = 24
LONGEST_FILE = 1000


def with_random_tokens(settings: Settings) -> Settings:
    """Return settings with random tokens if users need one and none is given."""
    if not settings.demands_token or settings.token or settings.reader_token or settings.token_file:
        return settings
    editor, reader = (secrets.token_hex(TOKEN_BYTES) for _ in range(2))
    return replace(settings, token="" if settings.read_only else editor, reader_token=reader)


def with_tokens_of_file(settings: Settings) -> Settings:
    """Return settings with the tokens of their file, if there is one.

    Raises SettingsError if the file can't be read, or has no token.
    """
    path = settings.token_file
    if path is None:
        return settings
    lines = _lines(path)
    source = f"line {{}} of {path}"
    tokens = [parse_token(Given(line, source.format(number))) for number, line in enumerate(lines[:2], 1)]
    if not tokens or tokens[1:] == tokens[:1]:
        what = "has no token" if not tokens else "has the same token for editors and readers"
        raise SettingsError(f"--token-file {path} {what}; write the token of editors, and below it that of readers")
    return replace(settings, token=tokens[0], reader_token=tokens[1] if len(tokens) > 1 else "", token_file=None)


def _lines(path: Path) -> list[str]:
    """Return the lines of a file that are not empty."""
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST_FILE).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text"
        raise SettingsError(f"--token-file {path}: {reason}; give a text file that you can read") from error
    return [line.strip() for line in text.splitlines() if line.strip()]

# SPDX-License-Identifier: Apache-2.0
"""The command line of this process, with masked secrets."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Sequence

from mindscope.collector.lineage_fields import fact

MASK = "MASKED"
_MOST_CHARACTERS = 4000
"""Limit of the characters of an argument that are searched for secrets; ``python -c`` has whole programs."""
_SECRET_PARTS = ("password", "passwd", "passphrase", "passcode", "secret", "credential", "apikey")
_SECRET_ENDINGS = ("token", "key", "pwd")
_SECRET_WORDS = frozenset("auth bearer jwt keys pass pw tokens".split())
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_OPTION = re.compile(r"(?P<name>[-+~]*[A-Za-z_][\w.\-/@]*)=(?P<value>.*)", re.DOTALL)
_ENTRY = re.compile(
    r"""(?<![\w.\-])(?P<name>[\w.\-]*(?i:pass|pw|secret|credential|token|key|auth|jwt|bearer)[\w.\-]*)
      (?P<sign>["']?\s*[:=]\s*) (?P<value>"[^"]*"|'[^']*'|[^\s,;&)}\]]+)""",
    re.VERBOSE,
)
"""An entry of a dict, a parameter of an address or an assignment, whose name may be secret."""
_NUMBER = re.compile(r"[+-]?[\d._]+(?:[eE][+-]?\d+)?[kKmMgGbB]?")
_KNOWN = re.compile(
    r"""(?P<before>://[^\s/@:]*:)[^\s/@]+(?=@) | (?P<scheme>://)[^\s/@:]+(?=@)
      | (?P<word>\b(?i:bearer|basic)\s+)\S+
      | \b(?:hf_|gh[opsur]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA|eyJ)[\w.\-]{12,}""",
    re.VERBOSE,
)
"""Passwords in addresses, HTTP credentials, and tokens of well-known services."""


def command_line_fields() -> dict[str, str]:
    """Return the command that started this process, as a shell takes it, without secrets."""
    return {fact("command_line"): shlex.join(masked(sys.orig_argv))}


def masked(arguments: Sequence[str]) -> Iterator[str]:
    """Yield arguments with ``MASKED`` in place of the values of options named like token, password, key or secret."""
    secrets: str | None = None
    """The name of the secret option before this argument."""
    for argument in arguments:
        text = argument[:_MOST_CHARACTERS]
        option = _OPTION.fullmatch(text)
        is_value = secrets is not None and not _is_option(text)
        if is_value:
            yield _masked_value(secrets or "", text)
        elif option is not None and is_secret(option["name"]):
            yield f"{option['name']}={_masked_value(option['name'], option['value'])}"
        else:
            yield _without_known(text)
        is_more = is_value and _words(secrets or "")[-1:] in (["tokens"], ["keys"], ["secrets"], ["passwords"])
        is_name = option is None and not is_value and text.startswith("-") and is_secret(text)
        secrets = text if is_name else secrets if is_more else None


def is_secret(name: str) -> bool:
    """Return whether an option of this name has a secret value."""
    words = _words(name)
    joined = "".join(words)
    return any(part in joined for part in _SECRET_PARTS) or any(
        word in _SECRET_WORDS or word.endswith(_SECRET_ENDINGS) for word in words
    )


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _is_option(text: str) -> bool:
    """Return whether it names an option: ``-x`` or ``--name``. ``-sEcReT`` after a secret option may be its value."""
    return text.startswith("--") or (len(text) == 2 and text[0] == "-")


def _masked_value(name: str, value: str) -> str:
    """Mask a secret value; a count such as ``--max-tokens 512`` stays."""
    is_count = bool(_NUMBER.fullmatch(value)) and "tokens" in _words(name)
    return value if is_count else MASK


def _without_known(text: str) -> str:
    """Mask secrets inside an argument: entries of a dict, parameters of an address, and tokens by their form."""
    text = _ENTRY.sub(_masked_entry, text)
    return _KNOWN.sub(lambda match: "".join(filter(None, match.groups())) + MASK, text)


def _masked_entry(match: re.Match[str]) -> str:
    value = match["value"]
    if not is_secret(match["name"]):
        return match[0]
    quote = value[0] if value[0] in "\"'" else ""
    return match["name"] + match["sign"] + quote + _masked_value(match["name"], value.strip("\"'")) + quote

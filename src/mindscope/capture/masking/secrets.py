# SPDX-License-Identifier: Apache-2.0
"""Masks secrets in arguments and in texts: values by the names of their variables, and tokens by their form.

``docs/tracking.md`` lists what is masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

MASK = "MASKED"
_MOST_CHARACTERS = 4000
"""Limit of the characters of an argument that are searched for secrets; ``python -c`` has whole programs."""
_SECRET_PARTS = ("password", "passwd", "passphrase", "passcode", "secret", "credential", "apikey")
_SECRET_ENDINGS = ("token", "key", "pwd")
_SECRET_WORDS = frozenset("auth bearer jwt keys pass pw tokens".split())
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_OPTION = re.compile(r"(?P<name>[-+~]*[A-Za-z_][\w.\-/@]*)=(?P<value>.*)", re.DOTALL)
_NAMED = r"[\w.\-]{0,64}(?i:pass|pw|secret|credential|token|key|auth|jwt|bearer)[\w.\-]{0,64}"
_ENTRY = re.compile(
    rf"""(?<![\w.\-])(?P<name>{_NAMED})
      (?P<sign>["']?\s{{0,8}}[:=]\s{{0,8}}) (?P<value>"[^"]*"|'[^']*'|[^\s,;&)}}\]]+)""",
    re.VERBOSE,
)
"""An entry of a dict, a parameter of an address or an assignment, whose name may be secret."""
_NUMBER = re.compile(r"[+-]?[\d._]+(?:[eE][+-]?\d+)?[kKmMgGbB]?")
_KNOWN = re.compile(
    r"""(?P<before>://[^\s/@:"'<>]{0,200}:)[^\s/@"'<>]{1,500}(?=@) | (?P<scheme>://)(?!git@)[\w.%~+=\-]{1,500}(?=@)
      | (?P<bearer>\b(?i:bearer)\s+)(?=\S{0,200}\d)[\w.+/=~\-]{8,}
      | (?P<basic>\b(?i:authorization)["']?\s{0,4}[:=,]\s{0,4}["']?(?i:basic|token)\s+)[\w.+/=~\-]{4,}
      | (?P<sas>\b(?:AccountKey|SharedAccessKey|sig)=)[\w+/=%]{20,}
      | (?P<query>[?&](?:\w{0,20}(?:token|key|secret|password)|sig)=)(?=[\w.\-]{0,200}\d)[\w.\-]{16,}
      | (?P<hook>\b(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks)/)[\w/\-]{10,}
      | \b(?: SG\.[\w\-]{16,}\.[\w\-]{16,} | \d{8,10}:AA[\w\-]{32,}
          | hf_(?=[A-Za-z0-9]{0,60}[A-Z0-9])[A-Za-z0-9]{16,} | api_org_[A-Za-z0-9]{16,} | gh[opsur]_[A-Za-z0-9]{12,}
          | github_pat_\w{12,} | gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[\w.\-]{12,}
          | sk-(?=[\w\-]{0,200}?(?<![A-Za-z0-9])(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{16})[\w\-]{16,}
          | [rs]k_live_\w{12,} | xox[abeprs]-[\w\-]{12,} | xapp-[\w\-]{12,} | npm_[A-Za-z0-9]{30,} | pypi-[\w\-]{40,}
          | dapi[0-9a-f]{32} | r8_[A-Za-z0-9]{20,} | tgp_v1_[\w\-]{20,} | gsk_[A-Za-z0-9]{20,} | nvapi-[\w\-]{20,}
          | xai-[A-Za-z0-9]{20,} | pplx-[A-Za-z0-9]{20,} | wandb_v\d_\w{20,} | AIza[\w\-]{30,} | ya29\.[\w\-]{20,}
          | A[KS]IA[0-9A-Z]{16} | AKID[A-Za-z0-9]{13,} | LTAI[A-Za-z0-9]{12,} | eyJ[\w\-]{12,}[\w.\-]*
          | ms-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f\-]{12,} )""",
    re.VERBOSE,
)
"""Passwords in addresses, HTTP credentials, and tokens of well-known services."""


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
            yield without_known(_ENTRY.sub(_masked_entry, text))
        is_more = is_value and words_of(secrets or "")[-1:] in (["tokens"], ["keys"], ["secrets"], ["passwords"])
        is_name = option is None and not is_value and text.startswith("-") and is_secret(text)
        secrets = text if is_name else secrets if is_more else None


def is_secret(name: str) -> bool:
    """Return whether an option of this name has a secret value."""
    words = words_of(name)
    joined = "".join(words)
    return any(part in joined for part in _SECRET_PARTS) or any(
        word in _SECRET_WORDS or word.endswith(_SECRET_ENDINGS) for word in words
    )


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case: ``hfToken`` and ``HF_TOKEN`` have two."""
    return [word.lower() for word in _WORD.findall(name)]


def without_known(text: str) -> str:
    """Mask passwords in addresses, HTTP credentials, and tokens of well-known services by their form."""
    return _KNOWN.sub(lambda match: "".join(filter(None, match.groups())) + MASK, text)


def is_number(text: str) -> bool:
    """Return whether a text is a number, as ``512``, ``1e6`` or ``4k``."""
    return _NUMBER.fullmatch(text) is not None


def _is_option(text: str) -> bool:
    """Return whether it names an option: ``-x`` or ``--name``. ``-sEcReT`` after a secret option may be its value."""
    return text.startswith("--") or (len(text) == 2 and text[0] == "-")


def _masked_value(name: str, value: str) -> str:
    """Mask a secret value; a count such as ``--max-tokens 512`` stays."""
    is_count = is_number(value) and "tokens" in words_of(name)
    return value if is_count else MASK


def _masked_entry(match: re.Match[str]) -> str:
    value = match["value"]
    if not is_secret(match["name"]):
        return match[0]
    quote = value[0] if value[0] in "\"'" else ""
    return match["name"] + match["sign"] + quote + _masked_value(match["name"], value.strip("\"'")) + quote

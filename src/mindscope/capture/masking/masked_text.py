# SPDX-License-Identifier: Apache-2.0
"""Masks secrets in code, settings and differences of git. A name alone does not make a secret: its value has to be one.

In code, ``token = tokens[0]`` is no secret, but a literal may be one. In settings, a value without quotes may be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mindscope.capture.masking.secrets import MASK, is_number, without_known, words_of

_MOST_LINE = 20_000
"""Characters of a line; a longer one is left out, since it can't be searched in time."""
_HINT = re.compile(r"(?i)pass|pw|secret|credential|token|key|auth|jwt|bearer")
_NAME = r"(?P<name>[\w.\-]{0,64}(?i:pass|pw|secret|credential|token|key|auth|jwt|bearer)[\w.\-]{0,64})"
_SIGN = r"""\\?["']?\s{0,8}\]?\s{0,8}(?:=>|:=|[:=])\s{0,8}"""
_TYPE = r"(?:[A-Za-z_][\w.\[\], |]{0,60}=\s{0,8})?"
_OPEN = r"""(?P<open>[rbfuRBFU]{0,2}(?P<quote>\\?(?:\"{3}|'{3}|["'])))"""
_QUOTED = _OPEN + r"(?P<value>(?:(?!(?P=quote)).){1,2000})(?P<close>(?P=quote))"
_LITERAL = re.compile(rf"(?<![\w.\-])(?P<head>{_NAME}{_SIGN}{_TYPE}){_QUOTED}")
_DEFAULT = re.compile(
    rf"""(?<![\w.\-])(?P<head>["']-{{0,2}}{_NAME}["'][^"'\n]{{0,200}}?\bdefault\s{{0,4}}=\s{{0,4}}){_QUOTED}"""
)
_SET = re.compile(
    rf"""\b(?P<head>(?:set|put|get|environ)\w{{0,20}}\(\s{{0,8}}["']{_NAME}["']\s{{0,8}},\s{{0,8}}){_QUOTED}"""
)
_BARE = re.compile(
    rf"""(?<![\w.\-])(?P<head>{_NAME}(?:["']?\s{{0,8}}[:=]\s{{0,8}}|(?<=\w)[ ]{{1,8}}(?=[^\s\-=:])))
      (?P<open>)(?P<value>[^\s"'\\,;&)}}\]|#\[{{(][^\s"'\\,;&)}}\]|]{{0,2000}})(?P<close>)""",
    re.VERBOSE,
)
_SEVERAL = re.compile(rf"(?<![\w.\-])(?P<head>{_NAME}{_SIGN})(?P<body>[\[{{(][^\[\]{{}}()]{{1,4000}})")
"""A list, a tuple or a dict of values of one name, also over lines."""
_ITEM = re.compile(
    r"""(?P<open>(?P<quote>["']))(?P<value>(?:\\.|(?!(?P=quote))[^\n\\]){0,2000})(?P<close>(?P=quote)(?P<colon>\s{0,8}:)?)"""
)
_BARE_ITEM = re.compile(r"""(?P<open>[\[,]\s{0,40})(?P<value>[^\s"',:\[\]{}]{1,2000})(?P<close>(?=\s{0,40}(?:,|$)))""")
_TEXT = re.compile(
    rf"""(?<![\w.\-])(?P<head>{_NAME}{_SIGN}{_TYPE})(?P<open>[rbfuRBFU]{{0,2}}(?P<quote>\"{{3}}|'{{3}}))
      (?P<value>(?:(?!(?P=quote)).){{1,8000}})(?P<close>(?P=quote))""",
    re.VERBOSE | re.DOTALL,
)
_BLOCK = re.compile(
    rf"""^(?P<head>(?P<indent>[ ]{{0,80}})["']?{_NAME}["']?:[ ]{{0,8}}[|>][-+\d]{{0,3}}[ ]{{0,8}}\n)
      (?P<open>(?P=indent)[ ]{{1,40}})
      (?P<value>[^ \n].{{0,2000}}(?:\n(?:(?P=indent)[ ].{{0,2000}}|[ ]{{0,80}}(?=\n))){{0,400}})(?P<close>)""",
    re.VERBOSE | re.MULTILINE,
)
_ITEMS = re.compile(
    rf"""^(?P<head>(?P<indent>[ ]{{0,80}})["']?{_NAME}["']?:[ ]{{0,8}}\n)
      (?P<body>(?:(?P=indent)[ ]{{0,40}}-[ ][^:\n]{{1,2000}}(?:\n|\Z)){{1,400}})""",
    re.VERBOSE | re.MULTILINE,
)
"""Values of YAML over lines."""
_LINE_ITEM = re.compile(r"""(?P<open>-[ ]{1,8}["']?)(?P<value>[^\s"'][^"'\n]{0,2000})(?P<close>)""")
_PRIVATE_KEY = re.compile(r"(-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)(?:(?!-----END).){0,8000}", re.DOTALL)
_REFERENCE = re.compile(
    r"""\$\{?\w*\}?|\$\{.*\}|\$\(.*\)|<.*>|\[.*\]|\{.*\}|%\(.*|[*xX.?_\-]+|MASKED|(?i:none|null|nil|true|false|str|int|float|
    bool|bytes|any|object|optional|undefined|empty|string|text|your.*|my.*here|changeme|todo|env|keyring|prompt)""",
    re.VERBOSE,
)
"""Values that refer to a secret or mean one."""
_STRONG = tuple(
    """password passwd passphrase passcode secret credential apikey accesskey privatekey secretkey accesstoken authtoken
    refreshtoken bearertoken encryptionkey accountkey""".split()
)
_DESCRIBES = frozenset(
    """name names path paths file files filename type types dir directory url uri field fields column env var len length
    size count dim index idx prefix suffix format class level mode embedding embeddings manager store provider policy
    length lifetime expiry expires timeout env_var variable label title hint help regex pattern required""".split()
)
"""Last words of a name that is about a secret and holds none."""
_OF_SERVICES = frozenset(
    """api access private secret encryption signing account ssh subscription license client consumer wandb openai hf hub
    anthropic huggingface aws azure gcp google comet neptune swanlab kaggle modelscope github gitlab slack telegram bot
    discord deepseek dashscope zhipu oss s3 minio auth refresh bearer db database user admin root mysql postgres redis
    ftp http proxy email mail smtp server login personal""".split()
)
"""Words before a token or a key that is a secret."""
_SECRET_FILE = re.compile(
    r"""(?:.*/)?(?:\.env(?:\..*)?|[^/]*\.env|\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)
    |[^/]*\.(?:pem|key|p12|pfx|jks|kdbx|ppk|keystore)|[^/]*credentials?(?:\.\w+)?|[^/]*service[-_]?account[^/]*\.json
    |(?:[^/]*[-_.])?secrets?\.\w+|kaggle\.json|\.git-credentials)""",
    re.VERBOSE | re.IGNORECASE,
)
_CODE = re.compile(
    r".*\.(py|pyi|pyx|pxd|ipynb|c|cc|cpp|cu|cuh|h|hpp|js|ts|tsx|jsx|svelte|go|rs|java|jl|lua|md|rst|txt|html)",
    re.IGNORECASE,
)
_DIFF_FILE = re.compile(r'(?:\+\+\+|---) "?[ab]/(.*?)"?\s*')
_DIFF_HEADS = tuple("diff |index |--- |+++ |@@ |new |deleted |old |Binary |similarity |rename ".split("|"))
_LEFT_OUT = "[{count} characters left out]"


_OTHER_WORDS = ("mon", "tur", "don", "hot", "whis")
"""Beginnings of words that end like a key."""


class MaskedText(NamedTuple):
    """A text without secrets, and how many were masked."""

    text: str
    masked: int


def is_secret_file(name: str) -> bool:
    """Return whether files of this name hold secrets, such as ``.env`` and private keys."""
    return _SECRET_FILE.fullmatch(name) is not None


def mask_text(text: str, name: str) -> MaskedText:
    """Mask secrets in a file; its name says whether it is code, where values without quotes are no literals."""
    is_code = _CODE.fullmatch(name) is not None
    text, masked = _masked_lines(text, is_code=is_code)
    lines = list[str]()
    for line in text.splitlines(keepends=True):
        masked_line, count = _masked_line(line, is_code=is_code)
        lines.append(masked_line)
        masked += count
    return MaskedText("".join(lines), masked)


def mask_diff(text: str) -> MaskedText:
    """Mask secrets in a difference of git, by the names of its files; of files of secrets only the head stays."""
    text, masked = _masked_lines(text, is_code=True)
    lines = list[str]()
    for line, name in _with_names(text):
        is_head = line.startswith(_DIFF_HEADS)
        if name and is_secret_file(name) and not is_head:
            lines.append(line[:1] + MASK + "\n")
            masked += 1
            continue
        masked_line, count = _masked_line(line, is_code=not name or _CODE.fullmatch(name) is not None)
        lines.append(masked_line)
        masked += count
    return MaskedText("".join(lines), masked)


def _with_names(text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a difference with the file that each is about; "" between files."""
    name, is_head = "", True
    for line in text.splitlines(keepends=True):
        if line.startswith("diff "):
            name, is_head = "", True
        match = _DIFF_FILE.fullmatch(line) if is_head else None
        if match:
            name = match[1]
        is_head = is_head and not line.startswith("@@ ")
        yield line, name


def _masked_lines(text: str, *, is_code: bool) -> tuple[str, int]:
    """Mask values that several lines or items hold."""
    before = text.count(MASK)
    text = _PRIVATE_KEY.sub(rf"\1{MASK}", text)
    if _HINT.search(text):
        text = _TEXT.sub(_mask, text)
        text = _SEVERAL.sub(lambda match: _masked_items(match, (_ITEM,) if is_code else (_ITEM, _BARE_ITEM)), text)
        if not is_code:
            text = _BLOCK.sub(_mask, text)
            text = _ITEMS.sub(lambda match: _masked_items(match, (_LINE_ITEM,)), text)
    return text, text.count(MASK) - before


def _masked_items(match: re.Match[str], items: tuple[re.Pattern[str], ...]) -> str:
    """Mask the items of a value by the name of the whole."""

    def masked(item: re.Match[str]) -> str:
        value, is_key = item["value"], item.groupdict().get("colon") is not None
        is_secret = bool(value) and not is_key and not is_number(value) and is_secret_value(match["name"], value)
        return item["open"] + MASK + item["close"] if is_secret else item[0]

    body = match["body"]
    for pattern in items:
        body = pattern.sub(masked, body)
    return match["head"] + body


def _masked_line(line: str, *, is_code: bool) -> tuple[str, int]:
    if len(line) > _MOST_LINE:
        return _LEFT_OUT.format(count=len(line)) + "\n", 0
    before = line.count(MASK)
    line = without_known(line)
    if _HINT.search(line):
        line = _LITERAL.sub(_mask, line)
        line = _DEFAULT.sub(_mask, line) if "default" in line else line
        line = _SET.sub(_mask, line) if "(" in line else line
        line = line if is_code else _BARE.sub(_mask, line)
    return line, line.count(MASK) - before


def _mask(match: re.Match[str]) -> str:
    is_secret = is_secret_value(match["name"], match["value"])
    return match["head"] + match["open"] + MASK + match["close"] if is_secret else match[0]


def is_secret_value(name: str, value: str) -> bool:
    """Return whether the literal of a variable, or the value of a parameter, is a secret."""
    words = [word for word in words_of(name) if not word.isdigit()]
    if not words or value == MASK or _REFERENCE.fullmatch(value) or words[-1] in _DESCRIBES:
        return False
    *before, last = words
    if any(part in "".join(words) for part in _STRONG) or last in ("jwt", "bearer"):
        return True
    is_of_service = not _OF_SERVICES.isdisjoint(before)
    if last in ("pass", "pw", "pwd"):
        return (not before or is_of_service) and (len(value) >= 6 or not is_number(value))
    if last.endswith(("token", "tokens", "key", "keys", "auth")) and not last.startswith(_OTHER_WORDS):
        is_named = is_of_service or (last == "token" and not before)
        return (is_named and _is_mixed(value)) or _is_random(value)
    return False


def _is_mixed(value: str) -> bool:
    """Return whether a short text is no word: digits among letters, or a long one in both cases."""
    letters = [letter for letter in value if letter.isalpha()]
    has_digits = len(value) >= 6 and any(letter.isdigit() for letter in value)
    is_camel = len(value) >= 12 and value.isalpha() and not (value.islower() or value.isupper() or value.istitle())
    return (has_digits and bool(letters)) or is_camel


def _is_random(value: str) -> bool:
    """Return whether a text looks like a token: 16 letters and digits without a word among them."""
    longest = max(re.split(r"[_\-./ :]", value), key=len)
    digits = sum(letter.isdigit() for letter in longest)
    return len(longest) >= 16 and digits >= 3 and digits < len(longest)

# SPDX-License-Identifier: Apache-2.0
"""Addresses of remote stores, such as ``s3://bucket/runs``: parsed, and refused if they hold a secret."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mindscope.errors import StorageError
from mindscope.reasons import Reason

S3 = frozenset({"s3", "s3a", "obs"})
GOOGLE = frozenset({"gs", "gcs"})
AZURE = frozenset({"az", "azure", "abfs", "abfss"})
FILE_SYSTEMS = frozenset({"hdfs", "webhdfs", "sftp", "ssh", "http", "https", "memory"})
"""Schemes that fsspec opens."""
SCHEMES = S3 | GOOGLE | AZURE | FILE_SYSTEMS

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):(//?)(.*)", re.IGNORECASE | re.ASCII | re.DOTALL)
_QUERY = re.compile(r"\?[^\s\"'<>]*=[^\s\"'<>]*")
_USER = re.compile(r"(://)[^/\s@]*:[^/\s]*@")


class RemoteAddress(str):
    """The address of a directory in a remote store, without secrets and without a slash at its end."""

    @property
    def scheme(self) -> str:
        """In lower case."""
        return self.partition("://")[0]

    @property
    def location(self) -> str:
        """What follows the scheme: bucket and prefix, host and path."""
        return self.partition("://")[2]

    @property
    def bucket(self) -> str:
        """The bucket, container or host."""
        return self.location.partition("/")[0]

    @property
    def prefix(self) -> str:
        """The path in the bucket, without slashes at its ends; empty for the whole bucket."""
        return self.location.partition("/")[2]

    @property
    def name(self) -> str:
        """The last part."""
        return self.location.rpartition("/")[2]

    def below(self, path: str) -> str:
        """Return the address of a path below this one."""
        return f"{self}/{path}"


def remote_address(path: object) -> RemoteAddress | None:
    """Return the address that ``path`` is; None for a path of this machine, also as ``file://``.

    ``pathlib`` makes ``s3:/bucket`` of an address, so that form counts too.

    Raises StorageError for an address of another scheme, without a bucket, or with a secret in it.
    """
    text = str(path)
    match = _ADDRESS.fullmatch(text)
    scheme = match[1].lower() if match else ""
    if match is None or scheme == "file" or (match[2] == "/" and scheme not in SCHEMES):
        return None
    if scheme not in SCHEMES:
        raise StorageError(Reason("address_not_read", address=masked(text)))
    location = match[3].rstrip("/")
    if masked(f"://{location}") != f"://{location}":
        raise StorageError(Reason("address_with_secret", address=masked(f"{scheme}://{location}")))
    if not location.partition("/")[0] and scheme not in ("hdfs", "memory"):
        raise StorageError(Reason("address_without_bucket", address=text))
    return RemoteAddress(f"{scheme}://{location}")


def local_path(path: object) -> Path:
    """Return a path of this machine, which may be an address with ``file://``; ``~`` is the home directory."""
    text = str(path)
    if re.match("file:/", text, re.IGNORECASE):
        return Path(unquote(urlsplit(text).path))
    return Path(text).expanduser()


def masked(text: str) -> str:
    """Return a text without the passwords and signatures of the addresses in it."""
    return _USER.sub(r"\1***@", _QUERY.sub("?***", text))

# SPDX-License-Identifier: Apache-2.0
"""Reads S3 and what has its interface, Google Cloud Storage and Azure, by obstore.

Credentials come from the environment, from the files and the service of the provider; for S3 also from the profiles of
boto3 if it is installed.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from importlib import import_module
from typing import Any

from mindscope.errors import MissingPackageError, StorageError
from mindscope.reasons import Reason
from mindscope.storage.addresses import AZURE, GOOGLE, RemoteAddress
from mindscope.storage.storage import ObjectReplacedError, Page, StoredObject, failed

PAGE_OBJECTS = 1000
"""The most objects that S3 lists in one request."""
_RETRIES = 6
_CUT_PAGES = 4
"""Times that a listing is begun, after its last page, in all."""
_PATIENCE = timedelta(seconds=30)
"""Retries of one request end after this time."""
_CREDENTIALS_VALID = timedelta(minutes=15)
_OBS = {"endpoint": "OBS_ENDPOINT", "access_key_id": "OBS_ACCESS_KEY_ID", "secret_access_key": "OBS_SECRET_ACCESS_KEY",
        "token": "OBS_SECURITY_TOKEN"}  # fmt: skip
"""Variables that the tools of Huawei Cloud read, by the names of obstore."""


class ObjectStorage:
    """The objects below a prefix of a bucket."""

    def __init__(self, address: RemoteAddress) -> None:
        """Raises MissingPackageError, StorageError."""
        self._address = address
        self._obstore: Any = _module("obstore", address)
        self._errors: Any = import_module("obstore.exceptions")
        try:
            self._store = _store(address)
        except (ValueError, self._errors.BaseError) as error:
            raise failed(address, error) from error

    def list(self, below: str = "") -> Iterator[Page]:
        """Yield all objects below a directory, in pages."""
        last: str | None = None
        for cuts_left in reversed(range(_CUT_PAGES)):
            try:
                for page in self._obstore.list(self._store, below or None, offset=last, chunk_size=PAGE_OBJECTS):
                    yield Page(tuple(map(_object, page)))
                    last = page[-1]["path"] if page else last
                return
            except self._errors.InvalidPathError:
                yield from self._walk(below)
                return
            except (OSError, self._errors.BaseError) as error:
                # obstore repeats whole requests, but not one for a page whose body was cut
                if not cuts_left or "response body" not in str(error):
                    raise failed(self._address, error) from error

    def stat(self, path: str) -> StoredObject:
        """Return an object as it is now."""
        with self._translated():
            return _object(self._obstore.head(self._store, path))

    def read_range(self, object: StoredObject, start: int, stop: int) -> bytes:
        """Return bytes of an object."""
        options: dict[str, Any] = {"range": (start, stop)} if stop > start else {}
        if object.etag:
            options["if_match"] = object.etag
        with self._translated():
            return bytes(self._obstore.get(self._store, object.path, options=options).bytes())

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except self._errors.BaseError as error:
            is_shorter = "416 Range Not Satisfiable" in str(error)  # obstore has no class for it
            if is_shorter or isinstance(error, self._errors.PreconditionError):
                raise ObjectReplacedError(Reason("object_replaced", address=self._address)) from error
            raise failed(self._address, error) from error
        except PermissionError as error:
            raise failed(self._address, error) from error

    def _walk(self, below: str) -> Iterator[Page]:
        """Yield one page for each directory: one name that obstore refuses would cost a whole listing."""
        waiting = [below]
        while waiting:
            directory = waiting.pop()
            try:
                listing = self._obstore.list_with_delimiter(self._store, directory or None)
            except self._errors.InvalidPathError:
                yield Page((), (f"{directory}/",))
                continue
            except (OSError, self._errors.BaseError) as error:
                raise failed(self._address, error) from error
            waiting += listing["common_prefixes"]
            yield Page(tuple(map(_object, listing["objects"])))


def _object(entry: Mapping[str, Any]) -> StoredObject:
    return StoredObject(entry["path"], entry["size"], entry["last_modified"].timestamp(), entry["e_tag"] or "")


def _store(address: RemoteAddress) -> Any:
    stores: Any = import_module("obstore.store")
    common: dict[str, Any] = {
        "retry_config": {"max_retries": _RETRIES, "retry_timeout": _PATIENCE},
        "client_options": {"allow_http": True, "connect_timeout": "10s", "timeout": "60s"},
    }
    if address.scheme in GOOGLE:
        return stores.GCSStore(address.bucket, prefix=address.prefix or None, **common)
    if address.scheme in AZURE:
        container, _, account = address.bucket.partition("@")
        if account:
            common["account_name"] = account.partition(".")[0]
        return stores.AzureStore(container, prefix=address.prefix or None, **common)
    given = _obs_settings(address.bucket) if address.scheme == "obs" else _s3_settings()
    return stores.S3Store(address.bucket, prefix=address.prefix or None, **given, **common)


def _obs_settings(bucket: str) -> dict[str, Any]:
    """Return the settings of Huawei Cloud's store by its S3 interface, which has the bucket in the name of the host."""
    given: dict[str, Any] = {name: os.environ[variable] for name, variable in _OBS.items() if os.environ.get(variable)}
    if "endpoint" not in given:
        raise StorageError(Reason("obs_without_endpoint"))
    scheme, _, host = given["endpoint"].rpartition("://")
    if host.startswith("obs."):
        given |= {"region": host.split(".")[1], "endpoint": f"{scheme or 'https'}://{bucket}.{host}"}
        given["virtual_hosted_style_request"] = True
    return given


def _s3_settings() -> dict[str, Any]:
    """Return credentials and region from the profiles of the user, if the environment has no credentials."""
    if os.environ.get("AWS_ACCESS_KEY_ID") or os.environ.get("AWS_SKIP_SIGNATURE"):
        region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
        return {"region": region} if region else {}
    try:
        session: Any = import_module("boto3").Session()
    except ImportError:
        return {}
    region = {"region": session.region_name} if session.region_name else {}
    credentials = session.get_credentials()
    return region if credentials is None else region | {"credential_provider": _Boto3Credentials(credentials)}


class _Boto3Credentials:
    """Credentials of boto3 for obstore, which asks again before they end."""

    def __init__(self, credentials: Any) -> None:
        self._credentials = credentials

    def __call__(self) -> dict[str, Any]:
        """Return them as they are now."""
        now = self._credentials.get_frozen_credentials()
        return {
            "access_key_id": now.access_key,
            "secret_access_key": now.secret_key,
            "token": now.token,
            "expires_at": datetime.now(timezone.utc) + _CREDENTIALS_VALID,
        }


def _module(name: str, address: RemoteAddress) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingPackageError(Reason("storage_missing", scheme=address.scheme, package=name, extra="s3")) from error

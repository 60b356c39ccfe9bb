# SPDX-License-Identifier: Apache-2.0
"""Opens the store of an address by the package that reads it."""

from __future__ import annotations

from mindscope.storage.addresses import AZURE, GOOGLE, S3, RemoteAddress
from mindscope.storage.file_systems import FileSystemStorage
from mindscope.storage.object_stores import ObjectStorage
from mindscope.storage.storage import Storage


def open_storage(address: RemoteAddress) -> Storage:
    """Return the store at an address. It asks the store nothing. Raises MissingPackageError, StorageError."""
    is_object_store = address.scheme in S3 | GOOGLE | AZURE
    return ObjectStorage(address) if is_object_store else FileSystemStorage(address)

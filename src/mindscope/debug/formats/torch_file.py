# SPDX-License-Identifier: Apache-2.0
"""Tensors in files of ``torch.save``, read without torch and without running code.

A file is an uncompressed zip: ``NAME/data.pkl`` describes the tensor, ``NAME/data/KEY`` holds the bytes of a storage.
The pickle may name functions that build tensors, and types of storages; both become plain descriptions here.
"""

from __future__ import annotations

import io
import math
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.formats.elements import element_type
from mindscope.debug.formats.stored_array import StoredArray
from mindscope.errors import FormatError
from mindscope.formats._pickle_memo import scan_pickle

_LARGEST_PICKLE = 1 << 20
"""Limit of the bytes of a pickle; that of a tensor has some hundred."""
_LARGEST_READ = 1 << 21
"""Bytes of the list of entries; that of a tensor has some hundred."""
_LOCAL_HEADER = 30


class _Storage(NamedTuple):
    dtype: str
    key: str


class _Tensor(NamedTuple):
    storage: _Storage
    offset: int
    """Offset in elements."""
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class _StorageType(NamedTuple):
    dtype: str


def _rebuild_tensor(storage: _Storage, offset: int, size: Any, stride: Any, *_: Any) -> _Tensor:
    return _Tensor(storage, int(offset), tuple(map(int, size)), tuple(map(int, stride)))


def _rebuild_typed_tensor(
    storage: _Storage, offset: int, size: Any, stride: Any, grad: Any, hooks: Any, dtype: _StorageType, *_: Any
) -> _Tensor:
    return _rebuild_tensor(storage._replace(dtype=dtype.dtype), offset, size, stride)


def _rebuild_parameter(data: _Tensor, *_: Any) -> _Tensor:
    return data


_STORAGES = {
    **{"FloatStorage": "float32", "DoubleStorage": "float64", "HalfStorage": "float16", "BFloat16Storage": "bfloat16"},
    **{"CharStorage": "int8", "ShortStorage": "int16", "IntStorage": "int32", "LongStorage": "int64"},
    **{"ByteStorage": "uint8", "BoolStorage": "bool", "ComplexFloatStorage": "complex64", "UntypedStorage": "uint8"},
    **{"ComplexDoubleStorage": "complex128"},
}
_DTYPES = (
    *("float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"),
    *("uint64", "bool", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2"),
)
_ALLOWED: dict[tuple[str, str], Callable[..., Any] | _StorageType] = {
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v3"): _rebuild_typed_tensor,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
    ("collections", "OrderedDict"): OrderedDict,
    **{("torch", name): _StorageType(dtype) for name, dtype in _STORAGES.items()},
    **{("torch.storage", name): _StorageType(dtype) for name, dtype in _STORAGES.items()},
    **{("torch", name): _StorageType(name) for name in _DTYPES},
}
"""All that a pickle may name."""


class _BoundedFile(io.FileIO):
    """Refuses to read the list of entries of an archive at once if it is large."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read as any file. Raises FormatError."""
        if size is None or size > _LARGEST_READ:
            raise FormatError("its list of entries is too large, want that of a tensor")
        return super().read(size) or b""


class _TensorUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> Any:
        """Return the replacement of an allowed name; others are refused, since a pickle calls what it names."""
        if (module, name) not in _ALLOWED:
            raise FormatError(f"it names {module}.{name}, want a tensor; nothing of it was run")
        return _ALLOWED[module, name]

    def persistent_load(self, pid: Any, /) -> _Storage:
        """Return a storage: its type, key, device and elements."""
        kind, type, key = cast("tuple[Any, ...]", pid)[:3]
        if kind != "storage" or not isinstance(type, _StorageType):
            raise FormatError("it refers to an object that is no storage")
        return _Storage(type.dtype, str(key))


def read_torch_file(path: Path) -> StoredArray:
    """Return the tensor of a file of ``torch.save``.

    Raises:
        FormatError: no such file, more than a tensor, or names of other functions or classes, which are never run.
        OSError: it can't be read.
    """
    try:
        with _BoundedFile(path) as file, zipfile.ZipFile(file) as archive:
            pickled = next((info for info in archive.infolist() if info.filename.endswith("/data.pkl")), None)
            if pickled is None or pickled.file_size > _LARGEST_PICKLE:
                raise FormatError(f"{path.name} has no data.pkl of at most {_LARGEST_PICKLE} bytes")
            with archive.open(pickled) as entry:
                data = entry.read(pickled.file_size)  # without a size, all that it unpacks to is in memory
            if scan_pickle(data, with_names=True)[0] > len(data):
                raise FormatError("it stores a value under a number that is too high")
            tensor = _TensorUnpickler(io.BytesIO(data)).load()
            if not isinstance(tensor, _Tensor):
                raise FormatError(f"{path.name} holds {type(tensor).__name__}, want a tensor")
            return _stored(path, archive, pickled.filename.removesuffix("data.pkl"), tensor)
    except OSError:
        raise
    except FormatError as error:
        raise FormatError(f"{path.name}: {error}") from error
    except Exception as error:  # zip files and pickles raise many kinds for damaged bytes
        raise FormatError(f"{path.name} is no whole file of torch.save: {type(error).__name__}: {error}") from error


def _stored(path: Path, archive: zipfile.ZipFile, prefix: str, tensor: _Tensor) -> StoredArray:
    info = archive.getinfo(f"{prefix}data/{tensor.storage.key}")
    element = element_type(tensor.storage.dtype)
    if info.compress_type != zipfile.ZIP_STORED or element is None:
        raise FormatError(f"storage {tensor.storage.key} of {tensor.storage.dtype} is compressed or of an unknown type")
    if len(tensor.shape) != len(tensor.strides) or min((*tensor.shape, *tensor.strides, tensor.offset, 0)) < 0:
        raise FormatError(f"shape {tensor.shape} and strides {tensor.strides} do not fit")
    span = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides, strict=True))
    count = math.prod(tensor.shape)
    span = span if count else 0
    if element.size(tensor.offset + span) > info.file_size:
        raise FormatError(f"storage {tensor.storage.key} has {info.file_size} bytes, which is less than its tensor")
    start = _data_offset(path, info) + element.size(tensor.offset)
    if _is_contiguous(tensor):
        return StoredArray(path, start, element, tensor.shape)
    if count > max(span, 1):
        raise FormatError(f"strides {tensor.strides} repeat elements")
    unpack = partial(_strided, shape=tensor.shape, strides=tensor.strides)
    return StoredArray(path, start, element, (span,), unpack=unpack, unpacked_shape=tensor.shape)


def _is_contiguous(tensor: _Tensor) -> bool:
    expected = 1
    for size, stride in zip(reversed(tensor.shape), reversed(tensor.strides), strict=True):
        if size != 1 and stride != expected:
            return not math.prod(tensor.shape)
        expected *= size
    return True


def _strided(flat: NDArray[Any], shape: tuple[int, ...], strides: tuple[int, ...]) -> NDArray[Any]:
    steps = tuple(stride * flat.itemsize for stride in strides)
    view: NDArray[Any] = np.lib.stride_tricks.as_strided(flat, shape, steps, writeable=False)
    return np.array(view)


def _data_offset(path: Path, info: zipfile.ZipInfo) -> int:
    """Return the first byte of an entry: its local header has a name and an extra field of their own lengths."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(_LOCAL_HEADER)
    return (
        info.header_offset
        + _LOCAL_HEADER
        + int.from_bytes(header[26:28], "little")
        + int.from_bytes(header[28:30], "little")
    )

# SPDX-License-Identifier: Apache-2.0
"""Compiles the kernels of ``tensor_statistics.cu`` for a CUDA device, by the libraries that PyTorch brings."""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import torch

from mindscope.debug.model.fields import FIELDS
from mindscope.torch.debugging.element_types import BYTES, ELEMENT_TYPES

_log = logging.getLogger(__name__)
_SOURCE = Path(__file__).with_name("tensor_statistics.cu")
COLUMNS = len(FIELDS) + 1
"""Columns of a row: statistics, then a hash."""
_SMALL_KINDS = {torch.int8: 10, torch.uint8: 11, torch.bool: 12}
KINDS = {dtype: value.code for dtype, value in ELEMENT_TYPES.items() if value.code != BYTES} | _SMALL_KINDS
"""The KIND of ``tensor_statistics.cu`` for each dtype that it takes."""


class CudaError(Exception):
    """A call of CUDA's driver or compiler failed."""


class CudaKernels:
    """The kernels of one device, each compiled when it is first used.

    Raises:
        OSError: CUDA's driver or compiler was not found.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._driver = ctypes.CDLL("libcuda.so.1")
        self.launch, self.is_capturing = (
            _address(self._driver.cuLaunchKernel),
            _address(self._driver.cuStreamIsCapturing),
        )
        """Addresses of functions of CUDA's driver."""
        facts = cast("Any", torch.cuda).get_device_properties(device)
        self._architecture = f"sm_{facts.major}{facts.minor}"
        self.most_blocks: int = 4 * facts.multi_processor_count
        """The most blocks of a kernel: enough to keep the device busy."""
        self._functions: dict[tuple[str, int], int] = {}
        self._modules: dict[int, ctypes.c_void_p] = {}
        self._scratch: dict[int, torch.Tensor] = {}  # by stream, whose kernels run one after the other

    def function(self, name: str, kind: int) -> int:
        """Return the kernel of a name for elements of a kind, as CUDA's driver knows it. Raises CudaError."""
        found = self._functions.get((name, kind))
        if found is None:
            found = self._functions[name, kind] = self._load(name, kind)
        return found

    def scratch(self, stream: int) -> tuple[int, int]:
        """Return the addresses of the parts and of the ticket of kernels on a stream."""
        size = self.most_blocks * COLUMNS
        found = self._scratch.get(stream)
        if found is None:
            found = self._scratch[stream] = torch.zeros(size + 1, dtype=torch.float64, device=self._device)
        return found.data_ptr(), found.data_ptr() + found.element_size() * size

    def _load(self, name: str, kind: int) -> int:
        with torch.cuda.device(self._device):
            if kind not in self._modules:
                code, module = compiled(kind, self._architecture), ctypes.c_void_p()
                self._call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(code))
                self._modules[kind] = module
            function = ctypes.c_void_p()
            self._call("cuModuleGetFunction", ctypes.byref(function), self._modules[kind], name.encode())
        return function.value or 0

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._driver, name)(*arguments)
        if status:
            raise CudaError(f"{name} returned {status}")


@cache
def kernels_of(device: torch.device) -> CudaKernels | None:
    """Return the kernels of a device; None if they can't be compiled here, which is logged."""
    if device.type != "cuda" or torch.version.cuda is None:
        return None
    try:
        kernels = CudaKernels(device)
        kernels.function("mindscope_statistics", 0)
    except (OSError, CudaError) as error:
        _log.warning("statistics of tensors on %s are computed by operators of PyTorch, slowly: %s", device, error)
        return None
    return kernels


def compiled(kind: int, architecture: str) -> bytes:
    """Return code for a device of an architecture such as ``sm_90``. Raises OSError, CudaError."""
    compiler = _compiler()
    program = ctypes.c_void_p()

    def call(name: str, *arguments: Any) -> None:
        status = getattr(compiler, name)(*arguments)
        if status:
            raise CudaError(f"{name} returned {status}: {_messages(compiler, program)}")

    source = _SOURCE.read_bytes()
    call("nvrtcCreateProgram", ctypes.byref(program), source, _SOURCE.name.encode(), 0, None, None)
    try:
        options = [f"--gpu-architecture={architecture}".encode(), f"-DKIND={kind}".encode()]
        call("nvrtcCompileProgram", program, len(options), (ctypes.c_char_p * len(options))(*options))
        return _text(
            lambda size: call("nvrtcGetCUBINSize", program, size), lambda to: call("nvrtcGetCUBIN", program, to)
        )
    finally:
        compiler.nvrtcDestroyProgram(ctypes.byref(program))


def _messages(compiler: Any, program: ctypes.c_void_p) -> str:
    if not program.value:
        return ""
    text = _text(
        lambda size: compiler.nvrtcGetProgramLogSize(program, size), lambda to: compiler.nvrtcGetProgramLog(program, to)
    )
    return text.decode(errors="replace").strip("\0\n")[:1000]


def _text(measure: Callable[[Any], object], write: Callable[[Any], object]) -> bytes:
    size = ctypes.c_size_t()
    measure(ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    write(text)
    return text.raw


@cache
def _compiler() -> ctypes.CDLL:
    """Return CUDA's compiler of the version that PyTorch was built with."""
    major = (torch.version.cuda or "").partition(".")[0]
    name = f"libnvrtc.so.{major}"
    packages = Path(torch.__file__).parent.parent / "nvidia"
    beside = [*packages.glob(f"*/lib/{name}"), *(Path(torch.__file__).parent / "lib").glob(f"{name}*")]
    for each in [*map(str, beside), name]:
        try:
            return ctypes.CDLL(each)
        except OSError:
            continue
    raise OSError(f"{name} was not found")


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0

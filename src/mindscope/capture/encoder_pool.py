# SPDX-License-Identifier: Apache-2.0
"""Thread pool that encodes the large values of a recorder."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from mindscope.capture.buffer_pool import BufferPool
from mindscope.capture.encoded import Encoded
from mindscope.capture.pending import PendingValue
from mindscope.capture.queued_step import EncodingValue
from mindscope.capture.thread_priority import use_batch_scheduling

ENCODED_BY_WRITER = 1 << 20  # bytes of a step's values that the writer encodes itself: a few milliseconds of work


class EncoderPool:
    """A pool of at most ``workers`` threads, which start with the first large value and call ``on_encoded``.

    They encode what becomes smaller, and give back the memory of each value as soon as it is encoded.
    """

    def __init__(self, workers: int, buffers: BufferPool, on_encoded: Callable[[], None]) -> None:
        self._workers = workers
        self._buffers = buffers
        self._on_encoded = on_encoded
        self._pool: ThreadPoolExecutor | None = None

    def start_large(self, values: list[PendingValue]) -> list[PendingValue | EncodingValue | None]:
        """Start encoding a step's values in the pool, except the first ones up to ``ENCODED_BY_WRITER`` bytes.

        Waking a thread for fewer bytes costs more. The writer encodes the rest; it encodes all if no thread can start.
        It also encodes tensors, because they become larger: the threads would fill the memory before it writes. Values
        that are files have nothing to encode.
        """
        started: list[PendingValue | EncodingValue | None] = []
        size = 0
        for pending in values:
            fields = None
            if pending.plugin != "tensor" and pending.write is None:
                size += pending.size
                fields = None if size <= ENCODED_BY_WRITER else self._start(pending)
            started.append(pending if fields is None else EncodingValue(pending.plugin, pending.tag, fields))
        return started

    def shut_down(self) -> None:
        """Wait for the threads and end them."""
        if self._pool is not None:
            self._pool.shutdown()

    def _start(self, pending: PendingValue) -> Future[Encoded] | None:
        try:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._workers, "mindscope-encode", use_batch_scheduling)
            return self._pool.submit(self._encode, pending)
        except RuntimeError:  # the interpreter is shutting down and starts no more threads
            return None

    def _encode(self, pending: PendingValue) -> Encoded:
        try:
            encoded = pending.encode()
            pending.release(self._buffers)
            return encoded
        finally:
            self._on_encoded()

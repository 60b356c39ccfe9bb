# SPDX-License-Identifier: Apache-2.0
"""The pool of threads that encodes the large values of a recorder."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from mindscope.capture.pending import PendingValue
from mindscope.capture.queued_step import EncodingValue
from mindscope.capture.thread_priority import use_batch_scheduling

ENCODED_BY_WRITER = 1 << 20  # bytes of the values of a step that the writer encodes itself: a few milliseconds' work


class EncoderPool:
    """At most ``workers`` threads, there from the first large value on; ``on_encoded`` is called on them."""

    def __init__(self, workers: int, on_encoded: Callable[[], None]) -> None:
        self._workers = workers
        self._on_encoded = on_encoded
        self._pool: ThreadPoolExecutor | None = None

    def start_large(self, values: list[PendingValue]) -> list[PendingValue | EncodingValue]:
        """Encode all but the first values of a step, in as far as they are large: waking a thread for less costs more.

        Those that are left, the writer encodes; all where no thread is to be had any more.
        """
        started: list[PendingValue | EncodingValue] = []
        size = 0
        for pending in values:
            size += pending.size
            fields = None if size <= ENCODED_BY_WRITER else self._start(pending.encode)
            started.append(pending if fields is None else EncodingValue(pending, fields))
        return started

    def shut_down(self) -> None:
        """End the threads when they are done."""
        if self._pool is not None:
            self._pool.shutdown()

    def _start(self, encode: Callable[[], bytes]) -> Future[bytes] | None:
        try:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._workers, "mindscope-encode", use_batch_scheduling)
            return self._pool.submit(self._encode, encode)
        except RuntimeError:  # the interpreter is ending and starts no more threads
            return None

    def _encode(self, encode: Callable[[], bytes]) -> bytes:
        try:
            return encode()
        finally:
            self._on_encoded()

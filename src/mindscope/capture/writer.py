# SPDX-License-Identifier: Apache-2.0
"""The writer thread: takes steps from a bounded queue in order and appends them to the files in batches.

It collects steps for a moment and then encodes and writes all of them at once, so that the training rarely shares the
interpreter lock with it. If no step arrives for a while, it sleeps until one wakes it.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from pathlib import Path

from mindscope.capture import exit_hooks
from mindscope.capture.buffer_pool import BufferPool
from mindscope.capture.drop_counter import DropCounter
from mindscope.capture.encoder_pool import EncoderPool
from mindscope.capture.event_writer import Destination, EventWriter
from mindscope.capture.queued_step import QueuedStep, count_values, is_ready
from mindscope.capture.thread_priority import use_batch_scheduling
from mindscope.errors import QueueFullError
from mindscope.threads.interruptible_condition import InterruptibleCondition

BATCH_S = 0.25  # how long the first step of a batch waits for more; batching halves the time for each step
IDLE_WAIT_S = 2.0  # how long the thread polls for a next step, so that the caller need not wake it
SLOW_S = 2.0  # a call that waits longer is logged
BATCH_BYTES = 4 << 20  # write this many bytes without waiting for more
SMALL_BYTES = 16 << 20  # with a timeout, scalars and messages up to this size are queued even if the queue is full
QUEUE_BYTES = 64 << 20  # queue size at which the caller blocks; up to a second of work for one core


def queue_full(values: str) -> QueueFullError:
    """Return the error that says which values were dropped."""
    return QueueFullError(
        f"{values} were dropped: the queue was full for longer than queue_timeout; record less, or raise it"
    )


class Writer:
    """The queue, the thread and the pool of one recorder. ``lock`` guards all fields."""

    def __init__(
        self,
        destination: Destination,
        workers: int,
        queue_bytes: int = QUEUE_BYTES,
        timeout_s: float | None = None,
    ) -> None:
        self._destination = destination
        self._timeout_s = timeout_s  # limit of wait_for_room(), None for no limit
        self._queue_bytes = queue_bytes  # size at which submit() blocks
        self._workers = workers  # number of encoder threads
        self.is_closed = False
        """Whether ``submit`` is no longer allowed."""
        self._event_writer: EventWriter | None = None
        self.reset_after_fork()
        self._event_writer = EventWriter(destination, self.drops, self.buffers)

    def reset_after_fork(self) -> None:
        """Reset all state: at the start, and in a forked child, where the parent keeps the queued steps."""
        self.lock = threading.RLock()
        """Reentrant, because a signal handler may record while its thread is recording."""
        self.drops = DropCounter()
        self.buffers = BufferPool()
        """Memory for copies of the callers' arrays."""
        self._changed = InterruptibleCondition(self.lock)
        self._queue: deque[tuple[QueuedStep, int, bool]] = deque()  # with the size of each, and whether it is small
        self._small_bytes = 0  # size of the small steps in the queue, without those being written
        self.queued_bytes = 0
        """Size of all steps that are not written yet."""
        self._has_timed_out = False  # the last wait timed out, and the queue has had no space since
        self._is_slow = False  # a call waited long, which was logged
        self._submitted = 0  # total count of queued steps
        self._written = 0  # total count of written or lost steps
        self._is_asleep = False  # the thread waits for a first step
        self._is_urgent = False  # a caller waits, or a batch is full: write now
        self._is_finished = False  # the files are closed permanently
        self._thread: threading.Thread | None = None
        self.encoder_pool = EncoderPool(self._workers, self.buffers, self._wake_for_encoded)
        """Use it only for a step that is submitted under the same hold of ``lock``."""
        if self._event_writer is not None:
            self._event_writer.abandon()
        self._event_writer = None

    @property
    def event_writer(self) -> EventWriter:
        """The writer of the files.

        It is created lazily, so that a forked child that records nothing creates no file.
        """
        with self.lock:
            if self._event_writer is None:
                self._event_writer = EventWriter(self._destination, self.drops, self.buffers)
            return self._event_writer

    @property
    def directory(self) -> Path:
        """The directory of the run."""
        return self._destination.directory

    @property
    def path(self) -> Path:
        """The newest summary file; before the first one exists, its planned name."""
        return self.event_writer.path

    # ---- on the caller's thread

    def submit(self, step: QueuedStep, size: int, is_small: bool = True) -> bool:
        """Queue ``step``, which counts as ``size`` bytes; blocks while the queue is full. Hold ``lock``.

        Returns False if the queue has no space within the time limit. A step with values in the encoder pool does not
        wake the thread; the pool does that.
        """
        queued = self.queued_bytes + size
        if queued > self._queue_bytes:
            if not self.wait_for_room(size, is_small):
                return False
            queued = self.queued_bytes + size
        self.queued_bytes = queued
        self._queue.append((step, size, is_small))
        if is_small:
            self._small_bytes += size
        self._submitted += 1
        if self._thread is None:
            self._start()
            if self._thread is None and self.queued_bytes > BATCH_BYTES:
                self._write_batch()
        elif self._is_asleep:
            if is_ready(step):
                self._wake()
        elif queued > BATCH_BYTES and not self._is_urgent:
            self._wake_now()
        return True

    def has_room(self, size: int) -> bool:
        """Wait for room for a large value as ``wait_for_room``, and return whether there is.

        The caller must not hold ``lock``.
        """
        with self.lock:
            return self.wait_for_room(size, is_small=False)

    def wait_for_room(self, size: int, is_small: bool) -> bool:
        """Wait until ``size`` more bytes fit into the queue, or the queue is empty. Hold ``lock``.

        Returns False after the time limit; later calls then return False at once until there is space. With a time
        limit, small steps have space of their own.
        """
        if is_small and self._timeout_s is not None and self._small_bytes + size <= SMALL_BYTES:
            return True
        start = time.monotonic()
        limit = math.inf if self._timeout_s is None else 0.0 if self._has_timed_out else self._timeout_s
        while self.queued_bytes and self.queued_bytes + size > self._queue_bytes and self._is_written_elsewhere:
            self._wake_now()
            waited = time.monotonic() - start
            if waited >= limit:
                self._has_timed_out = True
                return False
            if waited >= SLOW_S and not self._is_slow:
                self._is_slow = True
                self._changed.call_released(self._warn_slow)
                continue
            self._changed.wait(min(limit - waited, SLOW_S))
        self._has_timed_out = False
        return True

    def _warn_slow(self) -> None:
        limit = (
            "as long as it takes, because queue_timeout is None"
            if self._timeout_s is None
            else f"at most {self._timeout_s:g} seconds, then images, histograms and tensors are dropped (queue_timeout)"
        )
        self.drops.warn_once(
            "slow", "", f"values are recorded faster than they are written to {self.directory}; a call "
            f"waits {limit}. Record less, or write to a faster disk",
        )  # fmt: skip

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until everything queued so far is in the files, safe from a crash of this process.

        Returns False after ``timeout_s``.
        """
        end = None if timeout_s is None else time.monotonic() + timeout_s
        with self.lock:
            target = self._submitted
            while self._written < target and self._is_written_elsewhere:
                rest = None if end is None else end - time.monotonic()
                if rest is not None and rest <= 0:
                    return False
                self._wake_now()
                self._changed.wait(rest)
            while self._thread is None and self._queue:
                self._write_batch()
        return True

    def close(self) -> None:
        """Write everything and close the files. Idempotent."""
        self.request_close()
        with self.lock:
            thread = self._thread
        if thread is None:
            self.flush()
            self._finish()
        elif thread is not threading.current_thread() and thread.ident is not None:
            thread.join()

    def request_close(self) -> None:
        """Close without waiting."""
        with self.lock:
            self.is_closed = True
            self._changed.notify_all()

    @property
    def _is_written_elsewhere(self) -> bool:
        """Whether another thread empties the queue. False on the writer thread, where a logging handler may record."""
        thread = self._thread
        return thread is not None and thread.ident is not None and thread is not threading.current_thread()

    def _wake_for_encoded(self) -> None:
        with self.lock:
            if self._queue:
                self._wake()

    def _wake(self) -> None:
        if self._is_asleep:
            self._is_asleep = False
            self._changed.notify_all()

    def _wake_now(self) -> None:
        self._is_urgent = True
        self._changed.notify_all()

    def _start(self) -> None:
        # set before anything else runs: a signal handler that records now must not start a second one
        self._thread = threading.Thread(target=self._run, name="mindscope-writer", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # can't start a thread: full batches, flush() and close() write on their caller's thread
            self._thread = None
        exit_hooks.close_at_exit(self)  # the thread can't end earlier, because the caller holds the lock

    # ---- on the writer's thread

    def _run(self) -> None:
        use_batch_scheduling()
        try:
            while self._wait_for_batch():
                self._write_batch()
            self._finish()
        finally:
            with self.lock:
                self._thread = None
                self._changed.notify_all()

    def _wait_for_batch(self) -> bool:
        """Sleep until there is something to write; False after close."""
        with self.lock:
            if not self._queue:
                self._is_urgent = False
            self._wait_for_more()
            if not self._queue:
                self._sleep()
                self._wait_for_more()
            return bool(self._queue)

    def _wait_for_more(self) -> None:
        """Wait until steps have accumulated: they usually arrive continuously, and waking a thread costs the caller."""
        end = time.monotonic() + IDLE_WAIT_S
        while not (self._is_urgent or self.is_closed):
            next_look = time.monotonic() + BATCH_S
            while not (self._is_urgent or self.is_closed) and (rest := next_look - time.monotonic()) > 0:
                self._changed.wait(rest)
            if self._queue or time.monotonic() > end:
                return

    def _sleep(self) -> None:
        while not self._queue and not self.is_closed:
            self._is_asleep = True
            self._changed.wait()
        self._is_asleep = False

    def _write_batch(self) -> None:
        steps: list[QueuedStep] = []
        size = 0
        with self.lock:
            while self._queue and size < BATCH_BYTES:
                step, counted, is_small = self._queue.popleft()
                if is_small:
                    self._small_bytes -= counted
                steps.append(step)
                size += counted
        try:
            self.event_writer.write(steps)
        except Exception as error:  # catch everything, so that the training continues
            self.drops.drop(sum(map(count_values, steps)), "write", type(error).__name__, error)
        with self.lock:
            self._written += len(steps)
            self.queued_bytes -= size
            self._changed.notify_all()

    def _finish(self) -> None:
        if self._is_finished:
            return
        self._is_finished = True
        self.encoder_pool.shut_down()
        try:
            if self._event_writer is not None or self.drops.dropped:
                self.event_writer.close()
        except Exception as error:
            self.drops.drop(0, "close", type(error).__name__, error)
        exit_hooks.forget(self)

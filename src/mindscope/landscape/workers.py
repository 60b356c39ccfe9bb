# SPDX-License-Identifier: Apache-2.0
"""Evaluates losses at points, in this process or by the workers of any ``concurrent.futures`` executor.

An **evaluator** returns the losses at points, shape (n, 2), in order; NaN and Infinity are losses. A **factory** is
called without arguments for an evaluator, once in each worker; for an executor of processes it must be picklable, so it
is a ``functools.partial`` of a function of a module, or an object of a class of a module. Everything that an evaluator
needs, such as the plane, the batches and the name of the model's function, belongs to the factory.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, as_completed
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import LandscapeError
from mindscope.landscape.plane import Points

Evaluate = Callable[[Points], Sequence[float]]
"""Returns the losses at points, in order."""
EvaluatorFactory = Callable[[], Evaluate]

MESSAGE_LIMIT = 1 << 20
"""Bytes of a pickled factory that travel with each task; a larger one is in a file that each worker reads once."""


@dataclass(frozen=True, slots=True)
class PickledFactory:
    """A pickled factory, or the file with it, and its digest."""

    digest: str
    pickled: bytes | None
    file: str = ""

    def factory(self) -> EvaluatorFactory:
        """Return the unpickled factory. Raises LandscapeError if the file can't be read here or is another one."""
        if self.pickled is not None:
            return pickle.loads(self.pickled)
        try:
            data = Path(self.file).read_bytes()
        except OSError as error:
            raise LandscapeError(f"{error}; workers on other machines need a shared directory for it") from error
        if sha256(data).hexdigest() != self.digest:
            raise LandscapeError(f"{self.file}: not the file that this landscape wrote")
        return pickle.loads(data)


_of_worker = threading.local()
"""``digest`` and ``evaluate`` of the last job of this thread; an executor offers no other place for them."""


def evaluate_task(job: PickledFactory, points: Points) -> tuple[list[float], Exception | None]:
    """Return the task of a worker: losses up to a point that fails, and its error. Raises what the factory raises."""
    if getattr(_of_worker, "digest", "") != job.digest:
        _of_worker.evaluate, _of_worker.digest = None, ""  # free the memory of the last one first
        _of_worker.evaluate = job.factory()()
        _of_worker.digest = job.digest
    losses, error = losses_at(_of_worker.evaluate, points)
    return losses, error if error is None or _is_picklable(error) else LandscapeError(
        f"{type(error).__name__}: {error}"
    )


def losses_at(evaluate: Evaluate, points: Points) -> tuple[list[float], Exception | None]:
    """Return the losses at points. If they fail together, for memory or one point, they are evaluated one by one."""
    try:
        return _checked(evaluate, points), None
    except Exception as error:
        if len(points) == 1:
            return [], error
    losses: list[float] = []
    for index in range(len(points)):
        try:
            losses += _checked(evaluate, points[index : index + 1])
        except Exception as error:
            return losses, error
    return losses, None


def _checked(evaluate: Evaluate, points: Points) -> list[float]:
    losses = [float(loss) for loss in evaluate(points)]
    if len(losses) != len(points):
        raise ValueError(f"an evaluator returned {len(losses)} losses for {len(points)} points")
    return losses


def _is_picklable(error: Exception) -> bool:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # what a class of errors does there is its own
        return False
    return True


class Workers:
    """Evaluates points with a factory. A context manager.

    Args:
        factory: see the module.
        executor: takes the tasks; None for this thread.
        points_per_task: at most; fewer if there are not enough points for all workers.
        shared_directory: for the file of a large factory; None for the directory of temporary files.
    """

    def __init__(
        self,
        factory: EvaluatorFactory,
        executor: Executor | None = None,
        points_per_task: int = 16,
        shared_directory: Path | None = None,
    ) -> None:
        self._factory = factory
        self._executor = executor
        self._points_per_task = points_per_task
        self._shared_directory = shared_directory
        self._evaluate: Evaluate | None = None  # in this process, made when it is needed
        self._job: PickledFactory | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._job is not None and self._job.file:
            Path(self._job.file).unlink(missing_ok=True)

    @property
    def count(self) -> int:
        """Number of tasks that run at the same time, as far as the executor says it."""
        return 1 if self._executor is None else int(getattr(self._executor, "_max_workers", 0) or 8)

    def losses(self, points: Points) -> Iterator[tuple[NDArray[np.int64], list[float]]]:
        """Return indexes among the points and their losses, task by task, in the order in which they are done.

        Raises:
            LandscapeError: at a point; after the losses of all other running tasks.
            Exception: what the factory raises.
        """
        share = -(-len(points) // (2 * self.count)) if self._executor else self._points_per_task
        step = max(1, min(self._points_per_task, share))
        parts = [np.arange(start, min(start + step, len(points))) for start in range(0, len(points), step)]
        return self._in_process(points, parts) if self._executor is None else self._submitted(points, parts)

    def _in_process(self, points: Points, parts: list[NDArray[np.int64]]) -> Iterator[Any]:
        for part in parts:
            self._evaluate = self._evaluate or self._factory()
            losses, error = losses_at(self._evaluate, points[part])
            yield part[: len(losses)], losses
            if error is not None:
                raise _point_error(points[part[len(losses)]], error)

    def _submitted(self, points: Points, parts: list[NDArray[np.int64]]) -> Iterator[Any]:
        assert self._executor is not None
        self._job = self._job or self._pickled()
        running: dict[Future[Any], NDArray[np.int64]] = {}
        failure: Exception | None = None
        try:
            for part in parts:
                running[self._executor.submit(evaluate_task, self._job, points[part])] = part
            for future in as_completed(running):
                part = running[future]
                losses, error = _outcome(future, points[part])
                if losses:
                    yield part[: len(losses)], losses
                if error is not None and failure is None:
                    failure = error
                    for each in running:
                        each.cancel()  # those that run go on, and their losses are taken
        finally:
            for future in running:
                future.cancel()
        if failure is not None:
            raise failure

    def _pickled(self) -> PickledFactory:
        try:
            data = pickle.dumps(self._factory)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise LandscapeError(f"{error}; an executor needs functions and classes of a module") from error
        digest = sha256(data).hexdigest()
        if len(data) <= MESSAGE_LIMIT:
            return PickledFactory(digest, data)
        descriptor, name = tempfile.mkstemp(".job", "landscape_", self._shared_directory)
        os.close(descriptor)
        Path(name).write_bytes(data)
        return PickledFactory(digest, None, name)


def _outcome(future: Future[Any], points: Points) -> tuple[list[float], Exception | None]:
    """Return the losses of a task and what stopped it."""
    try:
        losses, error = future.result()
    except (BrokenExecutor, CancelledError) as error:
        text = f"a worker ended before its task: {type(error).__name__} {error}; the losses until then are kept"
        return [], _caused(LandscapeError(text), error)
    except Exception as error:  # the factory's own
        return [], error
    return losses, None if error is None else _point_error(points[len(losses)], error)


def _point_error(point: NDArray[np.float64], error: Exception) -> LandscapeError:
    where = ", ".join(f"{each:.6g}" for each in point)
    text = f"the loss at ({where}) can't be computed: {type(error).__name__}: {error}; the losses until then are kept"
    return _caused(LandscapeError(text), error)


def _caused(error: LandscapeError, cause: BaseException) -> LandscapeError:
    error.__cause__ = cause
    return error

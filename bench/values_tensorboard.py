# SPDX-License-Identifier: Apache-2.0
"""Measures TensorBoard from its command until the last images and histograms of a log can be read."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from loading_server import free_port
from measuring import family, have_memory_handed_out, memory_mb, processor_s
from value_logs import HISTOGRAM_TAGS, IMAGE_TAGS, RUNS, STEPS

POLL_S = 0.002
KEPT = "images=all,histograms=all"
EVERY = 10**6
"""More values than the log holds: TensorBoard's application has no word for all."""

Figures = dict[str, float]


def measure_data_server(base: Path, *flags: str) -> Figures:
    """The data server alone, asked in its own protocol; the client is imported before it begins."""
    import tensorboard_data_server

    with tempfile.TemporaryDirectory() as room:
        port_file = Path(room, "port")
        command = [
            str(tensorboard_data_server.server_binary()), "--logdir", str(base), "--port", "0", "--port-file",
            str(port_file), "--reload", "once", "--samples-per-plugin", KEPT, *flags,
        ]  # fmt: skip
        provider_at = _import_provider()
        return _measure(command, lambda: _when_listening(port_file, provider_at))


def measure_application(base: Path) -> Figures:
    """The whole of TensorBoard with its data server, over HTTP."""
    port = free_port()
    samples = f"images={EVERY},histograms={EVERY}"
    command = [
        sys.executable, "-m", "tensorboard.main", "--logdir", str(base), "--port", str(port), "--load_fast", "true",
        "--samples_per_plugin", samples, "--reload_interval", "0",
    ]  # fmt: skip
    return _measure(command, lambda: _Application(port) if _answers(port) else None)


def _measure(command: list[str], connect: Callable[[], Any]) -> Figures:
    have_memory_handed_out()
    spawned = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while (client := connect()) is None:
                time.sleep(POLL_S)
            started = time.perf_counter() - spawned
            for run in RUNS:
                while not client.has_last(run):
                    time.sleep(POLL_S)
            ready = time.perf_counter() - spawned
            pids = family(process.pid)
            used = {"processor": sum(map(processor_s, pids)), "peak_mb": sum(memory_mb("VmHWM", pid) for pid in pids)}
            return {"started": started, "loaded": ready - started, "ready": ready, **used}
        finally:
            process.terminate()
            process.wait()


def _when_listening(port_file: Path, provider_at: Callable[[int], Any]) -> _DataServer | None:
    text = port_file.read_text() if port_file.exists() else ""
    return _DataServer(provider_at(int(text))) if text.endswith("\n") else None


def _import_provider() -> Callable[[int], Any]:
    import grpc
    from tensorboard.data.grpc_provider import GrpcDataProvider
    from tensorboard.data.proto import data_provider_pb2_grpc

    def provider_at(port: int) -> Any:
        address = f"localhost:{port}"
        channel = grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", 256 << 20)])
        return GrpcDataProvider(address, data_provider_pb2_grpc.TensorBoardDataProviderStub(channel))

    return provider_at


class _DataServer:
    def __init__(self, provider: Any) -> None:
        self._provider = provider

    def has_last(self, run: str) -> bool:
        return self._has_last_image(run) and self._has_last_histogram(run)

    def _has_last_image(self, run: str) -> bool:
        listed = self._provider.list_blob_sequences(None, experiment_id="", plugin_name="images").get(run, {})
        if len(listed) < len(IMAGE_TAGS) or any(tag.max_step < STEPS for tag in listed.values()):
            return False
        read = self._provider.read_blob_sequences(None, **self._last("images", run, IMAGE_TAGS[-1]))
        (*_, key) = read[run][IMAGE_TAGS[-1]][-1].values
        assert self._provider.read_blob(None, blob_key=key.blob_key).startswith(b"\x89PNG")
        return True

    def _has_last_histogram(self, run: str) -> bool:
        listed = self._provider.list_tensors(None, experiment_id="", plugin_name="histograms").get(run, {})
        if len(listed) < len(HISTOGRAM_TAGS) or any(tag.max_step < STEPS for tag in listed.values()):
            return False
        read = self._provider.read_tensors(None, **self._last("histograms", run, HISTOGRAM_TAGS[-1]))
        assert read[run][HISTOGRAM_TAGS[-1]][-1].step == STEPS
        return True

    def _last(self, plugin: str, run: str, tag: str) -> dict[str, Any]:
        from tensorboard.data.provider import RunTagFilter

        one = RunTagFilter(runs=[run], tags=[tag])
        return {"experiment_id": "", "plugin_name": plugin, "downsample": 1, "run_tag_filter": one}


def _answers(port: int) -> bool:
    try:
        _get(port, "environment")
    except (urllib.error.URLError, ConnectionError):
        return False
    return True


def _get(port: int, path: str, **query: object) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/data/{path}?{urlencode(query)}", timeout=60) as answer:
        return answer.read()


class _Application:
    def __init__(self, port: int) -> None:
        self._port = port

    def has_last(self, run: str) -> bool:
        return self._has_last_image(run) and self._has_last_histogram(run)

    def _has_last_image(self, run: str) -> bool:
        images = self._points("images", "images", run, IMAGE_TAGS[-1], sample=0)
        if not images or images[-1]["step"] < STEPS:
            return False
        key = images[-1]["query"]
        path = f"plugin/images/individualImage?{key}"
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/data/{path}", timeout=60) as answer:
            assert answer.read(4) == b"\x89PNG"
        return True

    def _has_last_histogram(self, run: str) -> bool:
        points = self._points("histograms", "histograms", run, HISTOGRAM_TAGS[-1])
        return bool(points) and points[-1][1] == STEPS

    def _points(self, plugin: str, route: str, run: str, tag: str, **query: object) -> list[Any]:
        listed = json.loads(_get(self._port, f"plugin/{plugin}/tags"))
        if tag not in listed.get(run, {}):
            return []
        return json.loads(_get(self._port, f"plugin/{plugin}/{route}", run=run, tag=tag, **query))

# SPDX-License-Identifier: Apache-2.0
"""Start the viewer, train LeNet-5 for a minute while it shows the training live, and serve until Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType

import lenet_digits


def start_viewer(port: int, base_dir: Path) -> subprocess.Popen[bytes]:
    """The viewer as a child process, once it answers."""
    command = [sys.executable, "-m", "mindscope", "start", "--foreground"]
    command += ["--port", str(port), "--summary-base-dir", str(base_dir), "--workspace", str(base_dir / ".workspace")]
    # its own session: Ctrl-C reaches this process only, which then stops the viewer
    viewer = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    for _ in range(300):
        if viewer.poll() is not None:
            sys.exit(f"the viewer did not start, see above; is port {port} in use? then: make demo PORT={port + 1}")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/server", timeout=1).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return viewer
    stop_viewer(viewer)
    return sys.exit("the viewer did not answer within 30 seconds")


def stop_viewer(viewer: subprocess.Popen[bytes]) -> None:
    """End the child and wait for it."""
    viewer.terminate()
    try:
        viewer.wait(10)
    except subprocess.TimeoutExpired:
        viewer.kill()
        viewer.wait()


def interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Being told to end is the same as Ctrl-C."""
    raise KeyboardInterrupt


def main() -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--base-dir", type=Path, default=Path("runs"))
    parser.add_argument("--exit", action="store_true", help="end after the training instead of serving on")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, interrupt)
    arguments.base_dir.mkdir(parents=True, exist_ok=True)
    viewer = start_viewer(arguments.port, arguments.base_dir)
    try:
        run = arguments.base_dir / time.strftime("lenet-%Y%m%d-%H%M%S")
        print(f"\n  Look at  http://127.0.0.1:{arguments.port}/scalars", flush=True)
        print(f"  LeNet-5 trains for {arguments.seconds:.0f} seconds and records to {run}", flush=True)
        print("  Stop everything with Ctrl-C\n", flush=True)
        lenet_digits.train(str(run), arguments.seconds)
        if not arguments.exit:
            print("  The training is over, the viewer serves on until Ctrl-C", flush=True)
            viewer.wait()
    except KeyboardInterrupt:
        print("\n  Stopping")
    finally:
        stop_viewer(viewer)


if __name__ == "__main__":
    main()

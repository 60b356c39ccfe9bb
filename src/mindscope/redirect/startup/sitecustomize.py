# SPDX-License-Identifier: Apache-2.0
"""Python imports this module when a process of ``mindscope run`` starts. It installs the import hook.

Then it runs the ``sitecustomize`` that the user has. The script's ``sys.path`` stays without this directory.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - at the start of each process: no pathlib


def _install() -> None:
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _HERE]  # noqa: PTH100
    try:
        from mindscope.redirect.finder import install
    except ImportError:  # a Python of another environment
        return
    install()


def _run_that_of_the_user() -> None:
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_install()
_run_that_of_the_user()

# SPDX-License-Identifier: Apache-2.0
"""Functions over the stores of runs, for the viewer, the command line and Python: dataclasses and arrays, no HTTP."""

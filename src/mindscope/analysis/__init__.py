# SPDX-License-Identifier: Apache-2.0
"""What is computed over runs, for the viewer, the command line and Python: dataclasses and arrays, no HTTP."""

# SPDX-License-Identifier: Apache-2.0
"""Files that recorders kept in runs: command, code, settings, packages, checkpoints."""

# SPDX-License-Identifier: Apache-2.0
"""Callbacks for trainers of other packages that need no PyTorch; each module needs the package that names it."""

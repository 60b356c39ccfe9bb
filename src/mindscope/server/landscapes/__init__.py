# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes: which ones the runs have, and one whole landscape."""

# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes: directions in the space of weights, the plane that they span, and the losses on it."""

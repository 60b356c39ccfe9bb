# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes: directions in weight space, the plane that they span, and the losses on it."""

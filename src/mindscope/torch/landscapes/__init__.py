# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes and sharpness of PyTorch networks."""

# SPDX-License-Identifier: Apache-2.0
"""What a profile of any format consists of."""

# SPDX-License-Identifier: Apache-2.0
"""Files of runs that other programs wrote: how they are recognized, searched, read, and what is wrong with them."""

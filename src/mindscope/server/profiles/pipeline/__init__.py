# SPDX-License-Identifier: Apache-2.0
"""The data pipeline of a profile: operations, queues, waits for batches."""

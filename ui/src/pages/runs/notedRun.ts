// SPDX-License-Identifier: Apache-2.0
import type { Run } from "../../state/data/runs.svelte";

/** A run with what people noted about it as one text, null for nothing, and its values in the columns of the lineage. */
export type NotedRun = Run & { notes: string | null; lineage: Readonly<Record<string, string | number | null>> };

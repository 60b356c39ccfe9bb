// SPDX-License-Identifier: Apache-2.0
import type { ContentKind } from "../runs/runTable";

/** What a run has that the page Debugger shows: its own statistics, or dumps of other tools. */
export const DEBUG_DATA = {
  shows: ["tensor_statistics"],
  contents: ["mindspore_dump", "msprobe_dump", "tensor_dump", "debug_mode_log"] satisfies ContentKind[] as readonly ContentKind[],
} as const;

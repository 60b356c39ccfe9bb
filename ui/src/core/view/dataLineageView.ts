// SPDX-License-Identifier: Apache-2.0
import { fields, flag, optional, type Codec, type ValueOf } from "./schema";

const STAGE: Codec<{ column: string; pipeline: number }> = {
  read: (text) => {
    const stage = /^(\d{1,9}):([\d.]+)$/.exec(text);
    return stage ? { pipeline: Number(stage[1]), column: stage[2]! } : null;
  },
  write: ({ column, pipeline }) => `${pipeline}:${column}`,
};

/** What Data lineage looks like. */
export const DATA_LINEAGE_VIEW = fields({
  /** Runs with equal pipelines are one row. */
  isFolded: flag("pipelines", "unfolded", true),
  /** Operations that are equal in all pipelines are hidden. */
  onlyDiffering: flag("operations", "different"),
  /** Parallel coordinates over the parameters that differ. */
  hasChart: flag("pipeline_chart", "none", true),
  /** The operation whose details are open: the key of its column, and the number of its pipeline; null for none. */
  stage: optional("stage", STAGE),
});
export type DataLineageView = ValueOf<typeof DATA_LINEAGE_VIEW>;

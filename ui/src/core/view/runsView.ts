// SPDX-License-Identifier: Apache-2.0
import { BRUSHES } from "./brushQuery";
import { RUN_GROUPINGS } from "../runs/runTree";
import { fields, filter, flag, list, oneOf, optional, param, text, type ValueOf } from "./schema";

/** View settings of the list of runs. */
export const RUNS_VIEW = fields({
  filter: filter("find", "find_regex"),
  /** A condition on the lineage that runs must meet, such as `lr < 0.01`; "" for none. */
  where: param("where", text, ""),
  /** Ranges of columns of the lineage that runs must be in. */
  brushes: BRUSHES,
  grouping: param("by", oneOf(RUN_GROUPINGS), "none"),
  showsArchived: flag("archived", "shown"),
  /** Groups that are not as they are at first: directories open, ranks folded. */
  toggled: list("fold", text),
  /** The run whose details are open; null for none. */
  details: optional("details", text),
});
export type RunsView = ValueOf<typeof RUNS_VIEW>;

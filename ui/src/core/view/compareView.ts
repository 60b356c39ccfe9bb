// SPDX-License-Identifier: Apache-2.0
import { FIGURES, type Figure } from "../tables/figureTable";
import { CENTERS, SPREADS } from "../series/groupStatistics";
import { fields, filled, flag, list, oneOf, optional, param, text, type Codec, type Param, type ValueOf } from "./schema";

export type Grouping = "none" | "directory" | "ranks" | "parameter";

const USUAL_FIGURES: readonly Figure[] = ["last", "minimum", "maximum"];

const FIGURE_LIST: Codec<readonly Figure[]> = {
  read: (names) => FIGURES.filter((one) => names.split(",").includes(one)),
  write: (figures) => figures.join(),
};

const NAMES = list("group_by", filled);
const DIRECTORIES = param<Grouping>("group", oneOf(["none", "directory", "ranks"]), "none");

/** An address names the parameters themselves. */
const GROUPING: Param<Grouping> = {
  defaultValue: "none",
  read: (query) => (NAMES.read(query).length > 0 ? "parameter" : DIRECTORIES.read(query)),
  write: (value, query) => DIRECTORIES.write(value, query),
};

const PARAMETERS: Param<readonly string[]> = {
  ...NAMES,
  write: (names, query) => {
    if (query.get("group") !== "parameter") return;
    query.delete("group");
    NAMES.write(names, query);
  },
};

/** What `facet` says for directories; no parameter has this name. */
export const DIRECTORY = "/";

/** How the scalars of runs are compared. */
export const COMPARE_VIEW = fields({
  grouping: GROUPING,
  /** The hyperparameters that group runs, each once; empty without one. */
  parameters: PARAMETERS,
  /** The hyperparameter, or `DIRECTORY`, of which each value has charts of its own; null: all runs share a chart. */
  facet: optional("facet", filled),
  center: param("center", oneOf(CENTERS), "mean"),
  spread: param("spread", oneOf(SPREADS), "quartiles"),
  /** Run or group that the others are compared with; null draws values. */
  baseline: optional("baseline", filled),
  isTable: flag("show", "table"),
  /** Columns of the table for each tag. */
  figures: param("figures", FIGURE_LIST, USUAL_FIGURES),
  /** Also parameters that are equal in all runs have a column. */
  showsEqual: flag("parameters", "all"),
  /** The table shows the runs below the heads of all groups except the `toggled` ones, or below those only. */
  isUnfolded: flag("unfolded", "all"),
  toggled: list("toggled", text),
});
export type CompareView = ValueOf<typeof COMPARE_VIEW>;

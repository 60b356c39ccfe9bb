// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { shownColumns, sortRows, type HparamTable } from "./hparamTable";

const table: HparamTable = {
  columns: [
    { name: "lr", role: "parameter", differs: true },
    { name: "acc", role: "metric", differs: true },
    { name: "epoch", role: "parameter", differs: false },
  ],
  rows: [
    { run: "run_10", cells: [0.1, null, 1] },
    { run: "run_2", cells: [0.01, 0.9, 1] },
    { run: "=evil", cells: [0.5, 0.5, 1] },
  ],
};
const names = (sort: { column: string; isDescending: boolean } | null): string[] => sortRows(table, table.rows, sort).map(({ run }) => run);

describe("a table of hyperparameters", () => {
  it("is sorted by a column, rows without a value last", () => {
    expect(names({ column: "parameter/lr", isDescending: false })).toEqual(["run_2", "run_10", "=evil"]);
    expect(names({ column: "metric/acc", isDescending: true })).toEqual(["run_2", "=evil", "run_10"]);
    expect(names({ column: "run", isDescending: false })).toEqual(["=evil", "run_2", "run_10"]);
    expect(names({ column: "metric/nothing", isDescending: false })).toEqual(names(null));
  });

  it("leaves out columns in which all agree, when asked to", () => {
    expect(shownColumns(table, false).map(({ column }) => column.name)).toEqual(["lr", "acc"]);
  });
});

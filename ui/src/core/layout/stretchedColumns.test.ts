// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { stretchedColumns } from "./stretchedColumns";

const columns = [
  { width: 100, isElastic: false },
  { width: 100, isElastic: true },
];
const name = { least: 120, most: 300 };

test("names take the room that the columns leave, then elastic columns", () => {
  expect(stretchedColumns(columns, 400, name)).toEqual({ name: 200, widths: [100, 100] });
  expect(stretchedColumns(columns, 600, name)).toEqual({ name: 300, widths: [100, 200] });
  expect(stretchedColumns(columns, 250, name)).toEqual({ name: 120, widths: [100, 100] });
  expect(stretchedColumns(columns.slice(0, 1), 900, name)).toEqual({ name: 300, widths: [100] });
  expect(stretchedColumns(columns, 250, { least: 120, most: 80 })).toEqual({ name: 80, widths: [100, 100] });
});

// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";

import { climbedTo, drilledInto, ROWS_VIEW } from "./profileRows";
import { rowsViews } from "./profileRowsArbitrary";

test("a view of rows survives the address", () => {
  fc.assert(
    fc.property(rowsViews, (view) => {
      const query = new URLSearchParams();
      ROWS_VIEW.write(view, query);
      expect(ROWS_VIEW.read(new URLSearchParams(query.toString()))).toEqual(view);
    }),
  );
});

test("what a link says wrongly is as if it said nothing", () => {
  const query = new URLSearchParams("rows_where=nothing&rows_where==a&rows_sort=A B&rows_row=-4");
  expect(ROWS_VIEW.read(query)).toEqual(ROWS_VIEW.defaultValue);
});

test("a type opens its operators, an operator its single rows, which open nothing", () => {
  const names = drilledInto(ROWS_VIEW.defaultValue, "type", { type: "mm" })!;
  expect(names).toMatchObject({ group: "name", where: [{ column: "type", text: "mm" }] });
  const rows = drilledInto(names, "name", { name: "aten::mm" })!;
  expect(rows).toMatchObject({
    group: "each",
    where: [
      { column: "type", text: "mm" },
      { column: "name", text: "aten::mm" },
    ],
  });
  expect(drilledInto(rows, "each", {})).toBeNull();
});

test("the path leads back to the rows from which a step was chosen", () => {
  const where = [
    { column: "type", text: "mm" },
    { column: "name", text: "aten::mm" },
  ];
  const view = { ...ROWS_VIEW.defaultValue, group: "each", where, row: 4 };
  expect(climbedTo(view, 1)).toEqual({ ...ROWS_VIEW.defaultValue, group: "name", where: where.slice(0, 1) });
  expect(climbedTo(view, 0)).toEqual({ ...ROWS_VIEW.defaultValue, group: "type" });
});

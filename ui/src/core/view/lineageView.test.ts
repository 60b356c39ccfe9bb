// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";

import { BRUSHES } from "./brushQuery";
import { brushes, lineageViews, tableViews } from "./lineageArbitraries";
import { LINEAGE_VIEW } from "./lineageView";
import { TABLE_VIEW } from "./tableView";

test("an address holds the whole view", () => {
  fc.assert(
    fc.property(lineageViews, (view) => {
      const query = new URLSearchParams();
      LINEAGE_VIEW.write(view, query);
      expect(LINEAGE_VIEW.read(new URLSearchParams(query.toString()))).toEqual(view);
    }),
  );
});

test("an address holds the columns of the table and its order", () => {
  fc.assert(
    fc.property(tableViews, (view) => {
      const query = new URLSearchParams();
      TABLE_VIEW.write(view, query);
      expect(TABLE_VIEW.read(new URLSearchParams(query.toString()))).toEqual(view);
    }),
  );
});

test("an address holds the brushes", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.array(brushes, { minLength: 1 })), (some) => {
      const query = new URLSearchParams();
      BRUSHES.write(new Map(Object.entries(some)), query);
      const read = Object.fromEntries(BRUSHES.read(new URLSearchParams(query.toString())));
      expect(JSON.stringify(read)).toBe(JSON.stringify({ ...some }));
    }),
  );
});

test("wrong texts of an address are as if they were not there", () => {
  expect(LINEAGE_VIEW.read(new URLSearchParams("lineage_chart=pie&dimension=lr&pair=a"))).toEqual({
    ...LINEAGE_VIEW.defaultValue,
    axes: [],
  });
  expect(TABLE_VIEW.read(new URLSearchParams("sort=lr&sort=-&width=lr&width=9:&width=12345:lr&columns=all&rows=none"))).toEqual(
    TABLE_VIEW.defaultValue,
  );
  expect(BRUSHES.read(new URLSearchParams('brush=x&brush=[]&brush=["a"]&brush=["a",{"low":1}]&brush=["a",{"gaps":["no"]}]')).size).toBe(0);
});

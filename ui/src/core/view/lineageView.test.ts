// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";

import { brushesOf, describeBrushes } from "../lineage/brushQuery";
import { brushes, lineageViews, tableViews } from "./lineageArbitraries";
import { defaultLineageView, describeLineage, lineageViewOf } from "./lineageView";
import { defaultTableView, describeTable, tableViewOf } from "./tableView";

test("an address holds the whole view", () => {
  fc.assert(
    fc.property(lineageViews, (view) => {
      const query = new URLSearchParams();
      describeLineage(view, query);
      expect(lineageViewOf(new URLSearchParams(query.toString()))).toEqual(view);
    }),
  );
});

test("an address holds the columns of the table and its order", () => {
  fc.assert(
    fc.property(tableViews, (view) => {
      const query = new URLSearchParams();
      describeTable(view, query);
      expect(tableViewOf(new URLSearchParams(query.toString()))).toEqual(view);
    }),
  );
});

test("an address holds the brushes", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.array(brushes, { minLength: 1 })), (some) => {
      const query = new URLSearchParams();
      describeBrushes(new Map(Object.entries(some)), query);
      const read = Object.fromEntries(brushesOf(new URLSearchParams(query.toString())));
      expect(JSON.stringify(read)).toBe(JSON.stringify({ ...some }));
    }),
  );
});

test("wrong texts of an address are as if they were not there", () => {
  expect(lineageViewOf(new URLSearchParams("lineage_chart=pie&dimension=lr&pair=a"))).toEqual({
    ...defaultLineageView(),
    axes: [],
  });
  expect(tableViewOf(new URLSearchParams("sort=lr&sort=-&width=lr&width=9:&width=12345:lr&columns=all&rows=none"))).toEqual(
    defaultTableView(),
  );
  expect(brushesOf(new URLSearchParams('brush=x&brush=[]&brush=["a"]&brush=["a",{"low":1}]&brush=["a",{"gaps":["no"]}]')).size).toBe(0);
});

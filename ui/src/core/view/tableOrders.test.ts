// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";

import { TABLE_ORDERS } from "./tableOrders";

const order = fc.record({ key: fc.string({ minLength: 1, unit: "grapheme" }), isDescending: fc.boolean() });
const tables = fc.uniqueArray(fc.tuple(fc.constantFrom("steps", "clocks", "further"), order), { selector: ([table]) => table });

test("the orders of tables survive the address", () => {
  fc.assert(
    fc.property(tables, (some) => {
      const query = new URLSearchParams();
      TABLE_ORDERS.write(Object.fromEntries(some), query);
      expect(TABLE_ORDERS.read(new URLSearchParams(query.toString()))).toEqual(Object.fromEntries(some));
    }),
  );
});

test("what a link says wrongly is as if it said nothing", () => {
  expect(TABLE_ORDERS.read(new URLSearchParams("table_order=steps&table_order=~-a&table_order=steps~a&table_order=steps~-"))).toEqual({});
});

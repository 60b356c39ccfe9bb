// SPDX-License-Identifier: Apache-2.0
/** Arbitrary states of the table of runs and its charts, for the tests of addresses. */
import fc from "fast-check";

import type { ColumnLayout } from "../tables/columnLayout";
import { GAP_KINDS, type Brush } from "../lineage/brushes";
import { LINEAGE_CHARTS, type LineageView } from "./lineageView";
import { TABLE_ROWS, type TableView } from "./tableView";

const id = fc.string({ minLength: 1 });
const ids = fc.uniqueArray(id);
const columnOrNull = fc.option(id, { nil: null });

export const lineageViews: fc.Arbitrary<LineageView> = fc.record({
  target: columnOrNull,
  chart: fc.constantFrom(...LINEAGE_CHARTS),
  onlyDiffering: fc.boolean(),
  scalars: ids,
  axes: fc.option(
    fc.uniqueArray(fc.record({ column: fc.string(), scale: fc.constantFrom("linear", "log", "category", null), isTurned: fc.boolean() }), {
      selector: ({ column }) => column,
    }),
    { nil: null },
  ),
  color: columnOrNull,
  x: columnOrNull,
  y: columnOrNull,
  size: columnOrNull,
  pair: fc.option(fc.tuple(fc.string(), fc.string()), { nil: null }),
});

export const columnLayouts: fc.Arbitrary<ColumnLayout> = fc.record({
  isChosen: fc.boolean(),
  added: ids,
  hidden: ids,
  order: ids,
  pinned: ids,
  widths: fc.dictionary(id, fc.nat({ max: 9999 }), { noNullPrototype: true }),
});

const orders = fc.record({
  sort: fc.uniqueArray(fc.record({ column: id, isDescending: fc.boolean() }), { selector: ({ column }) => column }),
  rows: fc.constantFrom(...TABLE_ROWS),
});
export const tableViews: fc.Arbitrary<TableView> = fc.tuple(columnLayouts, orders).map(([layout, order]) => ({ ...layout, ...order }));

export const brushes: fc.Arbitrary<Brush> = fc.oneof(
  fc.record({ low: fc.double({ noNaN: true, noDefaultInfinity: true }), high: fc.integer() }),
  fc.record({ values: fc.array(fc.string()) }),
  fc.record({
    gaps: fc.uniqueArray(fc.constantFrom(...GAP_KINDS), { minLength: 1 }).map((some) => GAP_KINDS.filter((gap) => some.includes(gap))),
  }),
);

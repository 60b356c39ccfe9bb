// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";

import type { RowsView } from "./profileRows";

/** Any view of the rows of a profile, for tests. */
export const rowsViews: fc.Arbitrary<RowsView> = fc.record({
  group: fc.constantFrom("", "name", "each"),
  where: fc.array(fc.record({ column: fc.constantFrom("type", "name", "within"), text: fc.string() }), { maxLength: 3 }),
  filter: fc.oneof(fc.constant({ text: "", isRegex: false }), fc.record({ text: fc.string({ minLength: 1 }), isRegex: fc.boolean() })),
  sort: fc.option(fc.record({ column: fc.constantFrom("share", "device_self"), isDescending: fc.boolean() })),
  row: fc.option(fc.nat()),
});

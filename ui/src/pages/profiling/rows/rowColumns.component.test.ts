// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import type { ProfileRow } from "../../../state/data/profileRows";
import { cellText, columnTitle, rowColumns, rowName } from "./rowColumns";

const ROW: ProfileRow = {
  row: 0,
  name: "aten::mm",
  time_ns: 3000,
  texts: { name: "aten::mm", dtypes: '["float","","Scalar"]', module: "Net/fc", stack: "<built-in>;net.py(3): forward;main" },
  distinct: { module: 3 },
  figures: { count: 2, device_self: 3000, flops: 0, share: 0.25, memory_self: -2048 },
};
const COLUMNS = rowColumns({
  by: "name",
  texts: ["name", "module", "dtypes", "stack"],
  figures: [
    { name: "flops", kind: "count" },
    { name: "memory_self", kind: "bytes" },
    { name: "count", kind: "count" },
    { name: "device_self", kind: "ns" },
    { name: "share", kind: "share" },
  ],
});

test("figures come before texts, what is in the names or too long for a cell is not repeated", () => {
  expect(COLUMNS.map(({ id }) => id)).toEqual(["share", "count", "device_self", "flops", "memory_self", "module", "dtypes"]);
});

test("cells have units, say how many texts they merge, and write types as people do", () => {
  const cells = Object.fromEntries(COLUMNS.map((column) => [column.id, cellText(ROW, column)]));
  expect(cells).toMatchObject({ share: "25.0\u00a0%", count: "2", flops: "–", module: "3 different", dtypes: "float, ·, Scalar" });
  expect(cells.memory_self).toBe("−2.0 KiB");
});

test("a column without a title is called by its name", () => {
  expect(columnTitle("l2_hit_rate")).toBe("L2 hit rate");
  expect(columnTitle("blocks_per_sm")).toBe("Blocks per SM");
});

test("a stack is called by its first frame of Python", () => {
  expect(rowName("stack", ROW.texts.stack!)).toBe("net.py(3): forward");
  expect(rowName("module", "")).toBe("(none)");
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import type { SegmentMap } from "../../core/profiles/memory";
import { layoutSegments } from "./paintSegments";
import { movedBlock } from "./segmentCursor";

/** Two segments, the second one larger, and one without blocks. */
const MAP: SegmentMap = {
  ...{ time_ns: 0, reserved: 90, allocated: 50, pending: 0, largest_gap: 40, gaps: 2, texts: [], address: ["a", "b", "c"] },
  ...{ size: Float64Array.of(20, 60, 30), stream: new Float64Array(3), block: Uint32Array.of(7, 8, 9) },
  ...{ segment: Uint32Array.of(0, 1, 1), start: Float64Array.of(0, 0, 40), block_size: Float64Array.of(10, 20, 20) },
  ...{ is_pending: new Uint8Array(3), group: new Uint8Array(3) },
};
const LAYOUT = layoutSegments(MAP);

test.each([
  [-1, "ArrowDown", 1],
  [1, "ArrowRight", 2],
  [2, "ArrowRight", 2],
  [2, "ArrowLeft", 1],
  [2, "ArrowDown", 0],
  [0, "ArrowDown", 0],
  [0, "ArrowUp", 1],
  [1, "Enter", undefined],
])("from block %i, %s leads to %s", (place, key, next) => {
  expect(movedBlock(MAP, LAYOUT, place, key)).toBe(next);
});

test("a map without blocks has no place to go to", () => {
  const empty = { ...MAP, segment: new Uint32Array(0), start: new Float64Array(0), block_size: new Float64Array(0) };
  expect(movedBlock(empty, LAYOUT, -1, "ArrowDown")).toBeUndefined();
});

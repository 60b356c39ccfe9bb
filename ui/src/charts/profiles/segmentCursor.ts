// SPDX-License-Identifier: Apache-2.0
import type { SegmentMap } from "../../core/profiles/memory";
import type { SegmentLayout } from "./paintSegments";

/** The block that an arrow key leads to from another, -1 from none; undefined for other keys and without blocks. Stays if there is none. */
export function movedBlock(map: SegmentMap, { rows }: SegmentLayout, place: number, key: string): number | undefined {
  if (!["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].includes(key)) return undefined;
  const lines = rows.map(({ segment }) => Array.from(map.segment.keys()).filter((each) => map.segment[each] === segment));
  const filled = lines.filter((line) => line.length > 0);
  const at = filled.findIndex((line) => line.includes(place));
  if (at < 0) return filled[0]?.[0];
  const line = filled[at]!;
  if (key === "ArrowLeft" || key === "ArrowRight") return line[line.indexOf(place) + (key === "ArrowLeft" ? -1 : 1)] ?? place;
  const next = filled[at + (key === "ArrowUp" ? -1 : 1)];
  const middle = middleOf(map, place);
  return (
    next?.reduce((best, each) => (Math.abs(middleOf(map, each) - middle) < Math.abs(middleOf(map, best) - middle) ? each : best)) ?? place
  );
}

function middleOf({ start, block_size }: SegmentMap, place: number): number {
  return start[place]! + block_size[place]! / 2;
}

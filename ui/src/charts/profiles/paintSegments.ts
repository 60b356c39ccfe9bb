// SPDX-License-Identifier: Apache-2.0
import type { SegmentMap } from "../../core/profiles/memory";
import type { Ink, Surface } from "../frame/surface";

export const SEGMENT_LEFT = 72;
const [ROW, GAP, LEAST] = [14, 4, 2];
const FONT = '11px "Inter Variable", system-ui, sans-serif';

/** A segment, or the part of a long one that fits in a row. */
export interface SegmentRow {
  segment: number;
  /** Bytes from the begin of the segment. */
  from: number;
  size: number;
}

export interface SegmentLayout {
  rows: readonly SegmentRow[];
  /** Bytes of a full row. */
  scale: number;
  height: number;
}

/** Segments from the largest on, each in a row, all to one scale: that of the largest. */
export function layoutSegments({ size }: Pick<SegmentMap, "size">): SegmentLayout {
  const order = Array.from(size.keys()).sort((one, other) => size[other]! - size[one]!);
  const rows = order.map((segment) => ({ segment, from: 0, size: size[segment]! }));
  return { rows, scale: Math.max(1, size[order[0] ?? -1] ?? 1), height: rows.length * (ROW + GAP) + GAP };
}

export function rowTop(row: number): number {
  return GAP + row * (ROW + GAP);
}

/** Blocks in their segments. A row is an outline: what no block fills is a gap. */
export function paintSegments(
  surface: Surface,
  { width, top, height }: { width: number; top: number; height: number },
  map: SegmentMap,
  { rows, scale }: SegmentLayout,
  look: { colors: readonly string[]; chosen: number | null; sizeText: (bytes: number) => string },
  ink: Ink,
): void {
  const wide = width - SEGMENT_LEFT - 1;
  const first = blockStarts(map);
  surface.font = FONT;
  surface.textBaseline = "middle";
  surface.textAlign = "right";
  rows.forEach(({ segment, size }, row) => {
    const y = rowTop(row) - top;
    if (y + ROW < 0 || y > height) return;
    const long = Math.max(LEAST, (size / scale) * wide);
    surface.fillStyle = ink("var(--ink-soft)");
    surface.fillText(look.sizeText(size), SEGMENT_LEFT - 8, y + ROW / 2);
    surface.fillStyle = ink("var(--pressed)");
    surface.fillRect(SEGMENT_LEFT, y, long, ROW);
    for (let place = first[segment]!; place < first[segment + 1]!; place++) {
      const [x, bytes] = [SEGMENT_LEFT + (map.start[place]! / scale) * wide, map.block_size[place]!];
      const block = (bytes / scale) * wide;
      surface.globalAlpha = map.is_pending[place] ? 0.35 : 1;
      surface.fillStyle = ink(look.colors[map.group[place]!] ?? "var(--outline)");
      surface.fillRect(x, y, Math.max(0.4, block - (block > 3 ? 1 : 0)), ROW);
      if (map.block[place] === look.chosen) {
        surface.globalAlpha = 1;
        surface.strokeStyle = ink("var(--ink)");
        surface.lineWidth = 2;
        surface.beginPath();
        surface.rect(x, y, Math.max(2, block), ROW);
        surface.stroke();
      }
    }
    surface.globalAlpha = 1;
  });
}

/** Where a block is drawn, in pixels from the first row on. */
export function blockBox(
  { segment, start, block_size }: SegmentMap,
  { rows, scale }: SegmentLayout,
  width: number,
  place: number,
): { left: number; top: number; width: number; height: number } {
  const pixels = (width - SEGMENT_LEFT - 1) / scale;
  const row = rows.findIndex((each) => each.segment === segment[place]);
  const left = SEGMENT_LEFT + start[place]! * pixels;
  return { left, top: rowTop(row), width: Math.max(2, block_size[place]! * pixels), height: ROW };
}

/** The place of the block at a place of the picture; -1 in a gap, null beside all segments. */
export function blockAt(
  map: SegmentMap,
  { rows, scale }: SegmentLayout,
  width: number,
  x: number,
  y: number,
): { row: number; place: number } | null {
  const row = Math.floor((y - GAP / 2) / (ROW + GAP));
  const found = rows[row];
  const bytes = ((x - SEGMENT_LEFT) / (width - SEGMENT_LEFT - 1)) * scale;
  if (!found || bytes < 0 || bytes > found.size) return null;
  const first = blockStarts(map);
  for (let place = first[found.segment]!; place < first[found.segment + 1]!; place++) {
    if (bytes >= map.start[place]! && bytes < map.start[place]! + map.block_size[place]!) return { row, place };
  }
  return { row, place: -1 };
}

/** The first block of each segment; blocks are in the order of segments. */
function blockStarts({ size, segment }: SegmentMap): Uint32Array {
  const first = new Uint32Array(size.length + 1);
  for (const own of segment) first[own + 1]!++;
  for (let place = 1; place < first.length; place++) first[place]! += first[place - 1]!;
  return first;
}

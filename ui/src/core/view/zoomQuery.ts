// SPDX-License-Identifier: Apache-2.0
import type { Box } from "../scales/zoom";
import type { Param } from "./schema";

/** The shown box of every zoomed chart, by its key. */
export type Zooms = ReadonlyMap<string, Box>;

const EDGES = 4;

/** One text for a zoomed chart: left, right, bottom, top, and its key unless it is the chart in full screen. */
export const ZOOMS: Param<Zooms> = {
  defaultValue: new Map(),
  read: (query) => {
    const pairs = query.getAll("zoom").flatMap((text) => {
      const parts = text.split(",");
      const key = parts.length > EDGES ? parts.slice(EDGES).join(",") : query.get("full");
      const box = boxOf(parts.slice(0, EDGES));
      return key === null || box === null ? [] : [[key, box] as const];
    });
    return new Map(pairs);
  },
  write: (zooms, query) => {
    for (const [key, { x, y }] of zooms) query.append("zoom", [...x, ...y, ...(key === query.get("full") ? [] : [key])].join(","));
  },
};

function boxOf(parts: readonly string[]): Box | null {
  const numbers = parts.map((part) => (part === "" ? NaN : Number(part)));
  const [left, right, bottom, top] = numbers;
  if (numbers.length !== EDGES || !numbers.every(Number.isFinite) || left! >= right! || bottom! >= top!) return null;
  return { x: [left!, right!], y: [bottom!, top!] };
}

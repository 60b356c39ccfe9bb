// SPDX-License-Identifier: Apache-2.0

/** Lowest, highest and last size in each pixel with changes. */
export interface SizeWindow {
  /** The size before the window; null if it is not known. */
  before: number | null;
  pixel: Uint16Array;
  low: Float64Array;
  high: Float64Array;
  last: Float64Array;
}

/** Sizes of areas, area after area: in each pixel with changes when their sum is greatest, and the last ones. */
export interface AreaWindow {
  device: string;
  /** Names of the areas; an empty one is unknown. */
  texts: readonly string[];
  /** The last area is the sum of all further groups. */
  hasOthers: boolean;
  before: readonly number[];
  pixel: Uint16Array;
  highest: Float64Array;
  last: Float64Array;
}

/** Curves of memory in a range of time, in nanoseconds. */
export interface MemoryWindow {
  version: string;
  begin: number;
  pixelNs: number;
  width: number;
  curves: readonly { curve: number; allocated: SizeWindow; reserved: SizeWindow | null }[];
  areas: AreaWindow | null;
}

/** How the segments of an allocator are filled. Blocks are in the order of addresses. */
export interface SegmentMap {
  time: number;
  reserved: number;
  allocated: number;
  pending: number;
  largestGap: number;
  gaps: number;
  /** Names of groups; a place beyond them is any other group. */
  texts: readonly string[];
  address: readonly string[];
  size: Float64Array;
  stream: Float64Array;
  block: Uint32Array;
  segment: Uint32Array;
  start: Float64Array;
  blockSize: Float64Array;
  isPending: Uint8Array;
  group: Uint8Array;
}

/** The size at a moment: the last one before it; where its pixel changes several times, the greatest there. */
export function sizeAt({ before, pixel, high, last }: SizeWindow, at: number): number | null {
  const place = placeAt(pixel, at);
  if (place < 0) return before;
  return pixel[place] === at ? high[place]! : last[place]!;
}

/** Sizes of all areas at a pixel. */
export function areasAt({ texts, hasOthers, before, pixel, highest, last }: AreaWindow, at: number): number[] {
  const place = placeAt(pixel, at);
  const count = texts.length + Number(hasOthers);
  const from = place >= 0 && pixel[place] === at ? highest : last;
  return Array.from({ length: count }, (_, area) => (place < 0 ? before[area]! : from[area * pixel.length + place]!));
}

/** The last place whose pixel is `at` or before it; -1 without one. */
function placeAt(pixel: Uint16Array, at: number): number {
  let [low, high] = [0, pixel.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pixel[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

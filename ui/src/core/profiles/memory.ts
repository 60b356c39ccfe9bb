// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../messages/message";

/** Lowest, highest and last size in each pixel with changes. */
export type SizeWindow = Message<"PixelColumns">;

/** Sizes of areas, area after area: in each pixel with changes when their sum is greatest, and the last ones. */
export type AreaWindow = Message<"AreaColumns">;

/** Curves of memory in a range of time. */
export type MemoryWindow = Message<"MemoryWindowHeader">;

/** How the segments of an allocator are filled. Blocks are in the order of addresses. */
export type SegmentMap = Omit<Message<"SegmentMapHeader">, "version">;

/** The size at a moment: the last one before it; where its pixel changes several times, the greatest there. */
export function sizeAt({ before, pixel, high, last }: SizeWindow, at: number): number | null {
  const place = placeAt(pixel, at);
  if (place < 0) return before;
  return pixel[place] === at ? high[place]! : last[place]!;
}

/** Sizes of all areas at a pixel. */
export function areasAt({ texts, has_others, before, pixel, highest, last }: AreaWindow, at: number): number[] {
  const place = placeAt(pixel, at);
  const count = texts.length + Number(has_others);
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

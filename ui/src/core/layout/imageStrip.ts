// SPDX-License-Identifier: Apache-2.0

/** A picture that is a row, or a column, of square tiles. */
export interface ImageStrip {
  tiles: number;
  /** Of a tile, in pixels. */
  side: number;
  isTall: boolean;
}

interface Size {
  width: number;
  height: number;
}

/** Fewer tiles are rather a wide picture. */
const LEAST_TILES = 4;
/** Rows are worth it where the tiles become this many times as large. */
const WORTH = 1.2;
/** Alike neighbors differ this many times less than usual. */
const ALIKE = 3;
/** How likely it may be by chance that all seams are alike on both sides, or cuts. */
const CHANCE = { alike: 0.1, cut: 0.01 };

/** By its size; null for a picture that can't be a strip. */
export function stripOf({ width, height }: Size): ImageStrip | null {
  const side = Math.min(width, height);
  const tiles = Math.max(width, height) / Math.max(1, side);
  return side > 1 && Number.isInteger(tiles) && tiles >= LEAST_TILES ? { tiles, side, isTall: height > width } : null;
}

/**
 * Whether the picture has a seam between all tiles: the pixels on both sides differ more, or much less, than neighbors
 * elsewhere do. A plot or a spectrogram continues across them. `pixels` are red, green, blue, alpha, row by row.
 */
export function isTiled(pixels: ArrayLike<number>, { tiles, side, isTall }: ImageStrip): boolean {
  const [along, across] = isTall ? [side * 4, 4] : [4, tiles * side * 4];
  const changes = Array.from({ length: tiles * side - 1 }, (_, place) => changeAt(pixels, (place + 1) * along, along, across, side));
  const seams = changes.filter((_, place) => (place + 1) % side === 0);
  const inside = changes.filter((_, place) => (place + 1) % side !== 0);
  const usual = inside.reduce((sum, change) => sum + change, 0) / inside.length;
  const chance = (isSo: (change: number) => boolean): number => (inside.filter(isSo).length / inside.length) ** seams.length;
  const isAlike = (change: number): boolean => change * ALIKE <= usual;
  const least = Math.min(...seams);
  const isCut = chance((change) => change >= least) < CHANCE.cut;
  return usual > 0 && (isCut || (seams.every(isAlike) && chance(isAlike) < CHANCE.alike));
}

/** How much a line of pixels differs from the one before it. */
function changeAt(pixels: ArrayLike<number>, start: number, along: number, across: number, side: number): number {
  let sum = 0;
  for (let pixel = 0; pixel < side; pixel++)
    for (let channel = 0; channel < 3; channel++) {
      const at = start + pixel * across + channel;
      sum += Math.abs(pixels[at]! - pixels[at - along]!);
    }
  return sum;
}

/** In how many columns the tiles fill a room best; null where the strip as it is fills it as well. */
export function foldedColumns({ tiles, side, isTall }: ImageStrip, room: Size): number | null {
  const scale = (columns: number): number => Math.min(room.width / (columns * side), room.height / (Math.ceil(tiles / columns) * side));
  const flat = isTall ? 1 : tiles;
  const even = Array.from({ length: tiles }, (_, index) => tiles - index).filter((columns) => isEven(tiles, columns));
  const best = even.reduce((one, other) => (scale(other) > scale(one) ? other : one));
  return scale(best) > WORTH * scale(flat) && Number.isFinite(scale(best)) ? best : null;
}

/** The last row is full, or half full: one tile alone looks like an error. */
function isEven(tiles: number, columns: number): boolean {
  const last = tiles % columns;
  return last === 0 || 2 * last >= columns;
}

/** Where a pixel of the folded strip is in the picture; null in the empty end of the last row. */
export function unfolded(
  { tiles, side, isTall }: ImageStrip,
  columns: number,
  { x, y }: { x: number; y: number },
): { x: number; y: number } | null {
  const tile = Math.floor(y / side) * columns + Math.floor(x / side);
  const offset = tile * side;
  if (tile >= tiles) return null;
  return isTall ? { x: x % side, y: offset + (y % side) } : { x: offset + (x % side), y: y % side };
}

// SPDX-License-Identifier: Apache-2.0

/** A box, or the shape of a picture, in any unit. */
interface Box {
  width: number;
  height: number;
}

/** More pictures are worth it where they cover this many times the area. */
const WORTH = 1.2;

/** How many of at most `most` pictures of one shape fill a room best, and in how many columns. */
export function tileGrid(room: Box, picture: Box, most: number): { count: number; columns: number } {
  let best = { count: 1, columns: 1, area: covered(room, picture, 1, 1) };
  for (let count = 2; count <= most; count++)
    for (let columns = 1; columns <= count; columns++) {
      if (count % columns !== 0) continue;
      const area = covered(room, picture, count, columns);
      if (area > WORTH * best.area) best = { count, columns, area };
    }
  return { count: best.count, columns: best.columns };
}

function covered(room: Box, picture: Box, count: number, columns: number): number {
  const scale = Math.min(room.width / (columns * picture.width), room.height / ((count / columns) * picture.height));
  return Number.isFinite(scale) ? count * scale * scale * picture.width * picture.height : 0;
}

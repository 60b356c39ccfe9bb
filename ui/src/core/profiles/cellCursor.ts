// SPDX-License-Identifier: Apache-2.0

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

/**
 * The cell of a grid that a key leads to from another cell, null from outside: cells without a value are passed over.
 * The same cell if there is none in that direction; undefined for other keys and for a grid without values.
 */
export function movedCell(cell: number | null, key: string, values: ArrayLike<number>, columns: number): number | undefined {
  const step = STEPS[key];
  if (!step && key !== "Home" && key !== "End") return undefined;
  if (cell === null || !(cell < values.length)) return firstCell(values);
  const begin = cell - (cell % columns);
  if (!step) {
    const places = Array.from({ length: columns }, (_, column) => begin + column).filter((place) => !Number.isNaN(values[place]!));
    return key === "Home" ? places[0] : places.at(-1);
  }
  const [down, right] = step;
  for (let row = begin / columns + down, column = (cell % columns) + right; ; row += down, column += right) {
    if (column < 0 || column >= columns || row < 0 || row >= values.length / columns) return cell;
    const place = row * columns + column;
    if (!Number.isNaN(values[place]!)) return place;
  }
}

function firstCell(values: ArrayLike<number>): number | undefined {
  for (let place = 0; place < values.length; place++) if (!Number.isNaN(values[place]!)) return place;
  return undefined;
}

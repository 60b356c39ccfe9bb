// SPDX-License-Identifier: Apache-2.0
/** Coordinates of chosen components: those of one point after the other. `components` has one component after the other. */
export function componentsOf(components: Float32Array, points: number, axes: readonly number[]): Float32Array {
  const places = new Float32Array(points * axes.length);
  axes.forEach((component, axis) => {
    const from = component * points;
    for (let point = 0; point < points; point++) places[point * axes.length + axis] = components[from + point] ?? 0;
  });
  return places;
}

/** Coordinates as three each, around the middle, with the farthest point at a distance of 1. */
export function fitted(places: Float32Array, dims: number): Float32Array {
  const points = places.length / dims;
  const middle = Array.from({ length: dims }, (_, axis) => {
    let [low, high] = [Infinity, -Infinity];
    for (let index = axis; index < places.length; index += dims)
      [low, high] = [Math.min(low, places[index]!), Math.max(high, places[index]!)];
    return (low + high) / 2;
  });
  const spread = new Float32Array(points * 3);
  let farthest = 0;
  for (let point = 0; point < points; point++) {
    let square = 0;
    for (let axis = 0; axis < dims; axis++) {
      const value = places[point * dims + axis]! - middle[axis]!;
      spread[point * 3 + axis] = value;
      square += value * value;
    }
    farthest = Math.max(farthest, square);
  }
  const scale = 1 / (Math.sqrt(farthest) || 1);
  return spread.map((value) => value * scale);
}

/** The frontmost point within some pixels of a place; -1 for none. `seen` is that of `projected`. */
export function pointAt(seen: Float32Array, x: number, y: number, reach: number): number {
  let [nearest, least] = [-1, Infinity];
  for (let index = 0; index < seen.length; index += 3) {
    const away = Math.hypot(seen[index]! - x, seen[index + 1]! - y);
    // a pixel nearer counts as much as a tenth of the depth in front
    const rank = away + 10 * seen[index + 2]!;
    if (away <= reach && rank < least) [nearest, least] = [index / 3, rank];
  }
  return nearest;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The points within a box in CSS pixels. */
export function pointsIn(seen: Float32Array, { left, top, right, bottom }: Box): number[] {
  const inside: number[] = [];
  for (let index = 0; index < seen.length; index += 3) {
    const [x, y] = [seen[index]!, seen[index + 1]!];
    if (x >= left && x <= right && y >= top && y <= bottom) inside.push(index / 3);
  }
  return inside;
}

// SPDX-License-Identifier: Apache-2.0
export type Place = readonly [x: number, y: number, z: number];

/** The lowest and the highest corner of what a scene shows. */
export interface SceneBox {
  low: Place;
  high: Place;
}

/** The box of six numbers; null for none. */
export function boxOfNumbers([a, b, c, d, e, f]: readonly number[]): SceneBox | null {
  return f === undefined ? null : { low: [a!, b!, c!], high: [d!, e!, f] };
}

/** The box around all; null without any. */
export function unionBox(boxes: Iterable<SceneBox>): SceneBox | null {
  let union: SceneBox | null = null;
  for (const { low, high } of boxes) {
    union = union ? { low: eachOf(Math.min, union.low, low), high: eachOf(Math.max, union.high, high) } : { low, high };
  }
  return union;
}

export function centerOf({ low, high }: SceneBox): Place {
  return eachOf((from, to) => from / 2 + to / 2, low, high);
}

/** Of the ball around the box; never 0. */
export function radiusOf({ low, high }: SceneBox): number {
  return Math.hypot(...eachOf((from, to) => to / 2 - from / 2, low, high)) || 1;
}

export function sizeOf({ low, high }: SceneBox): Place {
  return eachOf((from, to) => to - from, low, high);
}

function eachOf(combine: (one: number, other: number) => number, one: Place, other: Place): Place {
  return [combine(one[0], other[0]), combine(one[1], other[1]), combine(one[2], other[2])];
}

// SPDX-License-Identifier: Apache-2.0
import { isPartial, type Landscape } from "./landscape";

/** What a point of the grid is. */
export const POINT = { computed: 0, interpolated: 1, pending: 2, nan: 3, positiveInfinity: 4, negativeInfinity: 5 } as const;

/** The losses to draw. A point that is not finite is NaN here; `state` says why. */
export interface DrawnSurface {
  losses: Float64Array;
  state: Uint8Array;
}

/**
 * The surface of a landscape. While it is computed, points between known ones are filled along rows, then along columns, so that
 * a coarse grid is a surface already; they are `pending`.
 */
export function drawnSurface(landscape: Pick<Landscape, "x" | "y" | "losses" | "evaluated" | "facts">): DrawnSurface {
  const { x, y, losses: given, evaluated } = landscape;
  const losses = given.map((loss) => (Number.isFinite(loss) ? loss : NaN));
  const state = Uint8Array.from(given, (loss, index) => stateOf(loss, evaluated?.[index] !== 0));
  if (!isPartial(landscape)) return { losses, state };
  for (let row = 0; row < y.length; row++) fillGaps(losses, x, row * x.length, 1);
  for (let column = 0; column < x.length; column++) fillGaps(losses, y, column, x.length);
  losses.forEach((loss, index) => {
    if (state[index] === POINT.nan && !Number.isNaN(loss)) state[index] = POINT.pending;
    else if (state[index]! > POINT.nan) losses[index] = NaN;
  });
  return { losses, state };
}

function stateOf(loss: number, isEvaluated: boolean): number {
  if (Number.isFinite(loss)) return isEvaluated ? POINT.computed : POINT.interpolated;
  if (Number.isNaN(loss)) return POINT.nan;
  return loss > 0 ? POINT.positiveInfinity : POINT.negativeInfinity;
}

/** Fills NaN between two known values of a row or a column in a straight line. */
function fillGaps(losses: Float64Array, places: Float64Array, start: number, stride: number): void {
  let known = -1;
  for (let index = 0; index < places.length; index++) {
    const loss = losses[start + index * stride]!;
    if (Number.isNaN(loss)) continue;
    for (let between = known + 1; known >= 0 && between < index; between++) {
      const part = (places[between]! - places[known]!) / (places[index]! - places[known]!);
      const from = losses[start + known * stride]!;
      losses[start + between * stride] = from + (loss - from) * part;
    }
    known = index;
  }
}

export interface PointCounts {
  computed: number;
  interpolated: number;
  pending: number;
  nan: number;
  infinite: number;
}

export function countPoints({ state }: Pick<DrawnSurface, "state">): PointCounts {
  const of = (...states: number[]): number => state.reduce((count, each) => count + Number(states.includes(each)), 0);
  return {
    computed: of(POINT.computed),
    interpolated: of(POINT.interpolated),
    pending: of(POINT.pending),
    nan: of(POINT.nan),
    infinite: of(POINT.positiveInfinity, POINT.negativeInfinity),
  };
}

/** The index of the column or row nearest to a coordinate. */
export function nearestIndex(coordinates: ArrayLike<number>, value: number): number {
  let [low, high] = [0, coordinates.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (coordinates[middle]! <= value) low = middle;
    else high = middle;
  }
  return value - coordinates[low]! <= coordinates[high]! - value ? low : high;
}

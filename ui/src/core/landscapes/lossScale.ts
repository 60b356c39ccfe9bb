// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../scales/axis";
import { linearTicks, logTicks } from "../scales/ticks";

/** Where the surface is cut: by itself where a cliff would flatten all else, nowhere, or at a loss. */
export type Cut = "auto" | "none" | number;

/** From losses to heights and colors. */
export interface LossScale {
  low: number;
  high: number;
  isLog: boolean;
  /** Some losses are above `high` and are drawn at it. */
  isCut: boolean;
}

const [SHARE, STEEP, ROOM] = [0.9, 5, 1.5];

/** Finite losses of all surfaces that share a scale, ascending. */
export function sortedLosses(surfaces: Iterable<ArrayLike<number>>): Float64Array {
  const all: number[] = [];
  for (const losses of surfaces) for (let index = 0; index < losses.length; index++) all.push(losses[index]!);
  return Float64Array.from(all.filter(Number.isFinite)).sort();
}

/**
 * The scale of some losses; null without any. The cut by itself is where the highest tenth is at least five times as high above the
 * lowest loss as the rest.
 */
export function lossScale(sorted: Float64Array, isLog: boolean, cut: Cut): LossScale | null {
  const first = isLog ? sorted.findIndex((loss) => loss > 0) : 0;
  if (sorted.length === 0 || first < 0) return null;
  const [low, top] = [sorted[first]!, sorted[sorted.length - 1]!];
  const level = cut === "auto" ? (isLog ? top : cliff(sorted)) : cut === "none" ? top : Math.min(top, cut);
  const high = level > low ? level : top;
  return { low, high, isLog, isCut: high < top };
}

function cliff(sorted: Float64Array): number {
  const [low, top] = [sorted[0]!, sorted[sorted.length - 1]!];
  const usual = sorted[Math.floor(SHARE * (sorted.length - 1))]!;
  return top - low > STEEP * (usual - low) && usual > low ? low + ROOM * (usual - low) : top;
}

/** How high a loss is, from 0 to 1; at the end beyond the scale, NaN for NaN. */
export function heightOf({ low, high, isLog }: LossScale, loss: number): number {
  if (Number.isNaN(loss)) return NaN;
  if (high <= low) return loss > high ? 1 : 0.5;
  const share = isLog ? (Math.log(Math.max(loss, low)) - Math.log(low)) / (Math.log(high) - Math.log(low)) : (loss - low) / (high - low);
  return Math.min(1, Math.max(0, share));
}

export function lossOfHeight({ low, high, isLog }: LossScale, height: number): number {
  return isLog ? low * (high / low) ** height : low + (high - low) * height;
}

/** `count` losses between the ends of the scale, equally far from each other in height. */
export function contourLevels(scale: LossScale, count: number): number[] {
  if (scale.high <= scale.low) return [];
  return Array.from({ length: count }, (_, index) => lossOfHeight(scale, (index + 1) / (count + 1)));
}

/** Numbers beside a scale: round ones, else its ends in three digits. */
export function scaleTicks({ low, high, isLog }: LossScale, count: number): number[] {
  const range: Range = [low, high];
  const ticks = isLog ? logTicks(range, count) : linearTicks(range, count);
  if (ticks.length > 1) return ticks;
  return (low < high ? [low, high] : [low]).map((loss) => Number(loss.toPrecision(3)));
}

/** The loss that a share of all losses is at most. */
export function lossAtShare(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(share * (sorted.length - 1))))] ?? NaN;
}

/** The share of all losses that is at most `loss`. */
export function shareUpTo(sorted: Float64Array, loss: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= loss) low = middle + 1;
    else high = middle;
  }
  return sorted.length === 0 ? 1 : low / sorted.length;
}

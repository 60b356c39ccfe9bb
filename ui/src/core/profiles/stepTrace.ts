// SPDX-License-Identifier: Apache-2.0
import type { Message, Schemas } from "../messages/message";

/** Phases of a step, which follow each other, and parts, which sum to its duration. */
export const STEP_PHASES = ["interval", "forward_backward", "tail"] as const;

/** Columns of all steps, in nanoseconds; NaN where a step lacks it. */
export type StepTrace = Message<"StepsHeader">;

export type PipelineQueue = Message<"QueueEntry">;

export type PipelineOperation = Schemas["PipelineOperationEntry"];

export type DataPipeline = Message<"PipelineHeader">;

/** Of a normal distribution, one standard deviation is this many median deviations. */
const SCALE = 1.4826;
const [DEVIATIONS, EXCESS, OF_STEP, MOST_MARKS] = [3, 0.1, 0.02, 5];

/**
 * Places of outliers, the greatest first, at most 5: above the median by a tenth, by 3 standard deviations estimated from the
 * median deviation, and by a fiftieth of the median step, so that a part of a few microseconds is not slow. Places that are
 * `left` out, such as incomplete steps, are neither outliers nor part of the median.
 */
export function slowest(values: Float64Array, durations: Float64Array, left: ReadonlySet<number> = new Set()): number[] {
  const isWhole = (value: number, place: number): boolean => !left.has(place) && !Number.isNaN(value);
  const whole = values.filter(isWhole);
  const median = medianOf(whole);
  const deviation = SCALE * medianOf(whole.map((value) => Math.abs(value - median)));
  const least = median + Math.max(median * EXCESS, DEVIATIONS * deviation, OF_STEP * medianOf(durations.filter(isWhole)));
  return Array.from(values.keys())
    .filter((place) => values[place]! > least && !left.has(place))
    .sort((one, other) => values[other]! - values[one]!)
    .slice(0, MOST_MARKS);
}

function medianOf(values: Float64Array): number {
  return values.toSorted()[values.length >> 1] ?? 0;
}

export function meanOf(values: Float64Array): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Operations from the root on, each followed by what it takes its input from, and how deep it is in that tree. */
export function pipelineTree(operations: readonly Pick<PipelineOperation, "parent">[]): { place: number; depth: number }[] {
  const inputs = new Map<number, number[]>();
  operations.forEach(({ parent }, place) => inputs.set(parent, [...(inputs.get(parent) ?? []), place]));
  const found: { place: number; depth: number }[] = [];
  const pending = (inputs.get(-1) ?? []).map((place) => ({ place, depth: 0 }));
  while (pending.length > 0) {
    const next = pending.shift()!;
    found.push(next);
    const below = inputs.get(next.place) ?? [];
    // A chain stays at its depth: only a branch is one deeper.
    pending.unshift(...below.map((place) => ({ place, depth: next.depth + (below.length > 1 ? 1 : 0) })));
  }
  return found;
}

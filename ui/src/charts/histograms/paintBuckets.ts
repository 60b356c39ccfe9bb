// SPDX-License-Identifier: Apache-2.0
import { labelWidth } from "../frame/labelWidth";
import { paintAxes } from "../frame/paintAxes";
import { plotFrame, type PlotFrame, type Size } from "../frame/plotFrame";
import type { Ink, Surface } from "../frame/surface";

/** One histogram: a bar for every bucket. */
export interface Buckets {
  /** One more than counts. */
  edges: readonly number[];
  counts: readonly number[];
}

interface BucketPainting {
  surface: Surface;
  ratio: number;
  ink: Ink;
  frame: PlotFrame;
}

const OPACITY = 0.72;
/** Half of the gap between bars. */
const GAP = 0.5;

export function bucketFrame({ edges, counts }: Buckets, size: Size): PlotFrame {
  const [low, high] = [edges[0] ?? 0, edges.at(-1) ?? 1];
  const ranges = { x: [low, high > low ? high : low + 1], ys: [[0, Math.max(1, ...counts)]] } as const;
  const frame = plotFrame(size, ranges, { axis: "value", isLog: false }, [{ title: "", color: null, isLog: false }], labelWidth);
  return { ...frame, yAxes: frame.yAxes.map(withWholeTicks) };
}

/** Counts are whole numbers. */
function withWholeTicks(yAxis: PlotFrame["yAxes"][number]): PlotFrame["yAxes"][number] {
  const whole = yAxis.ticks.map(Number.isInteger);
  const kept = <T>(_: T, index: number): boolean => whole[index]!;
  return { ...yAxis, ticks: yAxis.ticks.filter(kept), labels: yAxis.labels.filter(kept) };
}

export function paintBuckets(painting: BucketPainting, buckets: Buckets): void {
  paintAxes({ ...painting, hasColumns: false });
  painting.surface.save();
  painting.surface.globalAlpha = OPACITY;
  buckets.counts.forEach((_, bucket) => paintBucket(painting, buckets, bucket));
  painting.surface.restore();
}

/** A bar is at least a pixel wide and high. */
export function paintBucket(
  { surface, ink, frame: { area, projections } }: BucketPainting,
  { edges, counts }: Buckets,
  bucket: number,
): void {
  const count = counts[bucket] ?? 0;
  if (count === 0) return;
  const { x, y } = projections[0]!;
  const [from, to, base] = [x(edges[bucket]!) + GAP, x(edges[bucket + 1]!) - GAP, area.top + area.height];
  const top = Math.min(y(count), base - 1);
  surface.fillStyle = ink("var(--accent)");
  surface.fillRect(from, top, Math.max(1, to - from), base - top);
}

// SPDX-License-Identifier: Apache-2.0
import { cellText } from "./column";
import type { AxisScale, Share } from "./axisScale";
import type { Brush } from "./brushes";

/** A brush as it is drawn along an axis: from its lower to its upper end. */
export interface Span {
  readonly from: Share;
  readonly to: Share;
}

export type Grip = "from" | "to" | "body";

/** The brushes of an axis as spans, from the lower end up. Categories beside each other are one span. */
export function spansOf(brushes: readonly Brush[], scale: AxisScale): Span[] {
  return merged(brushes.flatMap((brush) => (scale.kind === "category" ? categorySpans(brush, scale) : numberSpans(brush, scale))));
}

function numberSpans(brush: Brush, scale: AxisScale): Span[] {
  if ("gaps" in brush) return [];
  if ("values" in brush) {
    const shares = brush.values.map((value) => scale.shareOf(Number(value))).filter((share) => share >= 0 && share <= 1);
    return shares.map((share) => ({ from: share, to: share }));
  }
  const ends = [brush.low, brush.high].map((end) => within(scale.shareOf(end)));
  return Number.isNaN(ends[0]! + ends[1]!) ? [] : [{ from: Math.min(...ends), to: Math.max(...ends) }];
}

function categorySpans(brush: Brush, scale: AxisScale): Span[] {
  if ("gaps" in brush) return [];
  const half = 0.5 / scale.categories.length;
  return scale.categories.map(cellText).flatMap((text) => {
    const isIn = "values" in brush ? brush.values.includes(text) : Number(text) >= brush.low && Number(text) <= brush.high;
    const middle = scale.shareOfCategory(text);
    return isIn ? [{ from: middle - half, to: middle + half }] : [];
  });
}

/** Spans without overlap, in order. */
export function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of [...spans].sort((one, other) => one.from - other.from)) {
    const last = all.at(-1);
    if (last && span.from <= last.to + 1e-9) all[all.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else all.push(span);
  }
  return all;
}

/** What spans select on an axis, together with the selected gaps of `brushes`. */
export function brushesOf(spans: readonly Span[], scale: AxisScale, brushes: readonly Brush[]): Brush[] {
  const gaps = brushes.filter((brush) => "gaps" in brush);
  if (scale.kind !== "category") return [...spans.map((span) => numberBrush(span, scale)), ...gaps];
  const values = spans.flatMap((span) => valuesOf(span, scale));
  return values.length === 0 ? gaps : [{ values }, ...gaps];
}

function numberBrush({ from, to }: Span, scale: AxisScale): Brush {
  const [one, other] = [scale.valueAt(from), scale.valueAt(to)];
  return { low: Math.min(one, other), high: Math.max(one, other) };
}

/** Categories whose middle is in the span. */
function valuesOf({ from, to }: Span, scale: AxisScale): string[] {
  return scale.categories.map(cellText).filter((text) => {
    const share = scale.shareOfCategory(text);
    return share >= from - 1e-9 && share <= to + 1e-9;
  });
}

/** A span by two places in any order, on whole bands of categories. */
export function spanBetween(one: Share, other: Share, scale: AxisScale): Span {
  const [from, to] = [within(Math.min(one, other)), within(Math.max(one, other))];
  return scale.kind === "category" ? onBands({ from, to }, scale) : { from, to };
}

function onBands({ from, to }: Span, { categories: { length } }: AxisScale): Span {
  const first = Math.min(length - 1, Math.floor(from * length + 1e-9));
  const last = Math.max(first + 1, Math.min(length, Math.ceil(to * length - 1e-9)));
  return { from: first / length, to: last / length };
}

/** The span after one of its grips was moved by a distance; it stays on the axis, and its ends may pass each other. */
export function movedSpan({ from, to }: Span, grip: Grip, distance: Share, scale: AxisScale): Span {
  if (grip === "from") return spanBetween(from + distance, to, scale);
  if (grip === "to") return spanBetween(from, to + distance, scale);
  const step = Math.max(-from, Math.min(1 - to, onGrid(distance, scale)));
  return { from: from + step, to: to + step };
}

/** Whole bands of a category axis. */
function onGrid(distance: Share, { kind, categories: { length } }: AxisScale): Share {
  return kind === "category" ? Math.round(distance * length) / length : distance;
}

/** What is at a place: an end of a span within `reach`, or its inside; null beside all spans. */
export function gripAt(spans: readonly Span[], share: Share, reach: Share): { index: number; grip: Grip } | null {
  for (const [index, { from, to }] of spans.entries()) {
    if (share < from - reach || share > to + reach) continue;
    const near = Math.min(reach, (to - from) / 3);
    if (share >= to - near) return { index, grip: "to" };
    return { index, grip: share <= from + near ? "from" : "body" };
  }
  return null;
}

/** Distance by which an arrow key moves an end: a category, or a hundredth of a numeric axis. */
export function keyStep({ kind, categories: { length } }: AxisScale, isLarge: boolean): Share {
  if (kind === "category") return 1 / length;
  return isLarge ? 0.1 : 0.01;
}

function within(share: Share): Share {
  return Math.max(0, Math.min(1, share));
}

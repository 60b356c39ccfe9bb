// SPDX-License-Identifier: Apache-2.0
import type { AreaWindow, MemoryWindow, SizeWindow } from "../../core/profiles/memory";
import { timeTicks } from "../../core/profiles/timeText";
import type { TimeRange } from "../../core/profiles/timeRange";
import { niceStep } from "../../core/scales/ticks";
import { formatBytes } from "../../core/text/format";
import type { Size } from "../frame/plotFrame";
import { crisp, segment, type Ink, type Surface } from "../frame/surface";
import { xOf } from "./timelinePicture";

export const MEMORY_FRAME = { left: 72, top: 12, bottom: 22 } as const;
const FONT = '11px "Inter Variable", system-ui, sans-serif';
const [TICK_ROOM, LINE_ROOM, LABEL_ROOM] = [96, 36, 70];

export interface MemoryLine {
  curve: number;
  color: string;
}

/** All that is drawn of the memory of a device. */
export interface MemoryPicture {
  range: TimeRange;
  window: MemoryWindow | null;
  lines: readonly MemoryLine[];
  /** Areas of live blocks instead of the filled curve; null for none. */
  areaColors: readonly string[] | null;
  /** The greatest size over all of the time, and when. */
  peak: { time: number; size: number } | null;
  /** The chosen moment. */
  time: number | null;
  /** Begin and end of what is dragged open. */
  dragged: readonly [number, number] | null;
  /** All memory of the device; 0 if unknown. */
  memory: number;
  /** Texts of ticks of the time; those of `timeTicks` without it. */
  formatTime: ((time: number) => string) | null;
}

/** Bytes with a sign. */
export function sizeText(bytes: number): string {
  return bytes < 0 ? `\u2212${formatBytes(-bytes)}` : formatBytes(bytes);
}

/** Least and greatest size in the range: zero is always one of them, or between them. */
export function sizeExtent({ window, lines, areaColors }: Pick<MemoryPicture, "window" | "lines" | "areaColors">): [number, number] {
  let [least, most] = [0, 0];
  for (const { allocated, reserved } of window?.curves.filter(({ curve }) => lines.some((line) => line.curve === curve)) ?? []) {
    for (const sizes of [allocated, ...(reserved ? [reserved] : [])]) {
      least = Math.min(least, sizes.before ?? 0, ...extremes(sizes.low, Math.min));
      most = Math.max(most, sizes.before ?? 0, ...extremes(sizes.high, Math.max));
    }
  }
  const areas = areaColors && window?.areas;
  if (areas) most = Math.max(most, ...extremes(sums(areas), Math.max));
  return most > least ? [least, most] : [0, 1];
}

/** Ticks at multiples of powers of two, as memory has them. */
export function sizeTicks([least, most]: readonly [number, number], count: number): number[] {
  const unit = 1024 ** Math.floor(Math.log2(Math.max(1, most - least)) / 10);
  const step = niceStep((most - least) / unit, count) * unit;
  const first = Math.ceil(least / step);
  return Array.from({ length: Math.max(0, Math.floor(most / step) - first + 1) }, (_, index) => (first + index) * step);
}

export function paintMemory(surface: Surface, { width, height }: Size, ratio: number, ink: Ink, picture: MemoryPicture): void {
  const { left, top, bottom } = MEMORY_FRAME;
  const [wide, tall] = [width - left, height - top - bottom];
  const { range, window } = picture;
  const extent = sizeExtent(picture);
  const plot: Plot = {
    x: (time) => left + xOf(range, time, wide),
    y: (size) => top + tall - ((size - extent[0]) / (extent[1] - extent[0])) * tall,
    ...{ left, right: width, top, bottom: top + tall },
  };
  surface.font = FONT;
  surface.lineWidth = 1;
  surface.textBaseline = "middle";
  surface.textAlign = "right";
  for (const size of sizeTicks(extent, Math.max(2, Math.floor(tall / LINE_ROOM)))) {
    const y = crisp(plot.y(size), ratio);
    surface.strokeStyle = ink(size === 0 ? "var(--outline)" : "var(--grid-line)");
    surface.beginPath();
    segment(surface, left, y, width, y);
    surface.stroke();
    surface.fillStyle = ink("var(--ink-soft)");
    surface.fillText(sizeText(size), left - 8, y);
  }
  surface.textAlign = "center";
  for (const { at, label } of timeTicks(range, Math.max(2, Math.floor(wide / TICK_ROOM)))) {
    const x = plot.x(at);
    if (x > left + 20 && x < width - 20) surface.fillText(picture.formatTime?.(at) ?? label, x, height - bottom / 2);
  }
  surface.save();
  surface.beginPath();
  surface.rect(left, 0, wide, top + tall + 1);
  surface.clip();
  if (window) {
    if (picture.areaColors && window.areas) paintAreas(surface, plot, window, window.areas, picture.areaColors, ink);
    for (const { curve, color } of picture.lines) {
      const found = window.curves.find((each) => each.curve === curve);
      if (!found) continue;
      if (found.reserved) strokeSizes(surface, plot, window, found.reserved, ink("var(--ink-soft)"), [4, 3]);
      if (!picture.areaColors) fillSizes(surface, plot, window, found.allocated, ink(color));
      strokeSizes(surface, plot, window, found.allocated, ink(picture.areaColors ? "var(--ink)" : color), []);
    }
  }
  if (picture.memory > 0 && picture.memory <= extent[1]) {
    surface.strokeStyle = ink("var(--warn)");
    surface.beginPath();
    segment(surface, left, plot.y(picture.memory), width, plot.y(picture.memory));
    surface.stroke();
  }
  paintMarks(surface, plot, ratio, ink, picture);
  surface.restore();
}

interface Plot {
  x: (time: number) => number;
  y: (size: number) => number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function paintMarks(surface: Surface, plot: Plot, ratio: number, ink: Ink, { peak, time, dragged }: MemoryPicture): void {
  if (dragged) {
    const [from, to] = [plot.x(dragged[0]), plot.x(dragged[1])];
    surface.globalAlpha = 0.15;
    surface.fillStyle = ink("var(--accent)");
    surface.fillRect(Math.min(from, to), plot.top, Math.abs(to - from), plot.bottom - plot.top);
    surface.globalAlpha = 1;
  }
  if (time !== null) {
    surface.strokeStyle = ink("var(--accent)");
    surface.beginPath();
    segment(surface, crisp(plot.x(time), ratio), plot.top - 8, crisp(plot.x(time), ratio), plot.bottom);
    surface.stroke();
  }
  const x = peak && plot.x(peak.time);
  if (!peak || x === null || x < plot.left || x > plot.right) return;
  const y = Math.max(plot.top, plot.y(peak.size));
  surface.fillStyle = ink("var(--bad)");
  surface.beginPath();
  surface.arc(x, y, 3.5, 0, 2 * Math.PI);
  surface.fill();
  surface.textAlign = x > plot.right - LABEL_ROOM ? "right" : "left";
  surface.fillText(sizeText(peak.size), x + (surface.textAlign === "right" ? -6 : 6), Math.max(6, y - 8));
}

/** From the lowest to the highest size of each pixel, then on with the last one. */
function sizePath(surface: Surface, plot: Plot, window: MemoryWindow, sizes: SizeWindow): { from: number; to: number } | null {
  let before = sizes.before;
  const from = before === null ? (sizes.pixel.length > 0 ? pixelX(plot, window, sizes.pixel[0]!) : null) : plot.x(window.begin_ns);
  if (from === null) return null;
  surface.moveTo(from, plot.y(before ?? sizes.low[0]!));
  sizes.pixel.forEach((pixel, place) => {
    const x = pixelX(plot, window, pixel);
    if (before !== null) surface.lineTo(x, plot.y(before));
    if (sizes.low[place] !== sizes.high[place]) {
      surface.lineTo(x, plot.y(sizes.low[place]!));
      surface.lineTo(x, plot.y(sizes.high[place]!));
    }
    before = sizes.last[place]!;
    surface.lineTo(x, plot.y(before));
  });
  const to = pixelX(plot, window, window.width);
  surface.lineTo(to, plot.y(before!));
  return { from, to };
}

function strokeSizes(surface: Surface, plot: Plot, window: MemoryWindow, sizes: SizeWindow, color: string, dash: number[]): void {
  surface.save();
  surface.setLineDash(dash);
  surface.strokeStyle = color;
  surface.lineWidth = dash.length > 0 ? 1 : 1.5;
  surface.beginPath();
  sizePath(surface, plot, window, sizes);
  surface.stroke();
  surface.restore();
}

function fillSizes(surface: Surface, plot: Plot, window: MemoryWindow, sizes: SizeWindow, color: string): void {
  surface.globalAlpha = 0.18;
  surface.fillStyle = color;
  surface.beginPath();
  const ends = sizePath(surface, plot, window, sizes);
  if (ends) {
    surface.lineTo(ends.to, plot.y(0));
    surface.lineTo(ends.from, plot.y(0));
    surface.fill();
  }
  surface.globalAlpha = 1;
}

/** One area above the other, the first one at the bottom. */
function paintAreas(surface: Surface, plot: Plot, window: MemoryWindow, areas: AreaWindow, colors: readonly string[], ink: Ink): void {
  let below = edgeOf(areas, -1);
  for (let area = 0; area < areas.texts.length + Number(areas.has_others); area++) {
    const above = edgeOf(areas, area, below);
    surface.beginPath();
    edgeLine(surface, plot, window, areas, above, false);
    edgeLine(surface, plot, window, areas, below, true);
    surface.fillStyle = ink(colors[area] ?? "var(--outline)");
    surface.fill();
    below = above;
  }
}

/** Upper edge of an area: before the first change, then at the greatest sum and at last of each pixel with changes. */
interface Edge {
  before: number;
  highest: Float64Array;
  last: Float64Array;
}

function edgeOf(areas: AreaWindow, area: number, below?: Edge): Edge {
  const count = areas.pixel.length;
  if (area < 0 || !below) return { before: 0, highest: new Float64Array(count), last: new Float64Array(count) };
  const first = area * count;
  return {
    before: below.before + areas.before[area]!,
    highest: below.highest.map((size, place) => size + areas.highest[first + place]!),
    last: below.last.map((size, place) => size + areas.last[first + place]!),
  };
}

function edgeLine(surface: Surface, plot: Plot, window: MemoryWindow, { pixel }: AreaWindow, edge: Edge, isBack: boolean): void {
  const points: [number, number][] = [[plot.x(window.begin_ns), edge.before]];
  let size = edge.before;
  pixel.forEach((at, place) => {
    const [x, next] = [pixelX(plot, window, at), pixelX(plot, window, at + 1)];
    points.push([x, size], [x, edge.highest[place]!], [next, edge.highest[place]!]);
    size = edge.last[place]!;
    points.push([next, size]);
  });
  points.push([pixelX(plot, window, window.width), size]);
  if (isBack) points.reverse();
  points.forEach(([x, y], place) => (place === 0 && !isBack ? surface.moveTo(x, plot.y(y)) : surface.lineTo(x, plot.y(y))));
}

/** Sums of the areas: before, and at the greatest sum of each pixel. */
function sums(areas: AreaWindow): Float64Array {
  const count = areas.texts.length + Number(areas.has_others);
  const found = new Float64Array(areas.pixel.length + 1);
  for (let area = 0; area < count; area++) {
    found[0]! += areas.before[area]!;
    areas.pixel.forEach((_, place) => (found[place + 1]! += areas.highest[area * areas.pixel.length + place]!));
  }
  return found;
}

function extremes(values: Float64Array, of: (one: number, other: number) => number): number[] {
  return values.length > 0 ? [values.reduce((found, value) => of(found, value))] : [];
}

function pixelX(plot: Plot, { begin_ns, pixel_ns }: MemoryWindow, pixel: number): number {
  return plot.x(begin_ns + pixel * pixel_ns);
}

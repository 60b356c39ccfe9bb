// SPDX-License-Identifier: Apache-2.0
import { lanesOf, type TimelineTrack, type TimelineWindow } from "../../core/profiles/timeline";
import { ROW_HEIGHT, rowMiddle, visibleItems, type TimelineItem } from "../../core/profiles/timelineLayout";
import type { Size } from "../frame/plotFrame";
import type { CellLine, CellRaster } from "./cellRaster";
import { paintCounter } from "./paintCounter";
import { paintMarkLines } from "./paintMarks";
import type { SliceLabels } from "./sliceLabels";
import { xOf, type MarkedSlice, type TimelineColors, type TimelinePicture } from "./timelinePicture";

const FONT = '11px "Inter Variable", system-ui, sans-serif';
/** A slice from this width on has a text. */
const LABELED = 22;
const PADDING = 4;
const PALE = 0.25;
/** Lines of steps that are nearer would hide everything. */
const STEP_PITCH = 12;
/** Height of a line of a closed process. */
const LEAST_LINE = 2;
/** A closed process shows its first tracks, as many as its line has room for. */
const CLOSED_LINES = 10;

export interface TimelineBrushes {
  raster: CellRaster;
  labels: SliceLabels;
}

/** Paints the tracks in sight. */
export function paintTimeline(
  ctx: CanvasRenderingContext2D,
  { width, height }: Size,
  picture: TimelinePicture,
  colors: TimelineColors,
  brushes: TimelineBrushes,
): void {
  const { layout, top, range, window } = picture;
  ctx.clearRect(0, 0, width, height);
  ctx.save();
  ctx.translate(0, -top);
  const items = visibleItems(layout, top, top + height);
  paintGround(ctx, width, height, items, picture, colors);
  if (window) {
    const lanes = placedLanes(window, items, top, top + height);
    const isPale = picture.matches !== null;
    brushes.raster.paint(ctx, { window, range, width, packed: colors.packed, isPale }, lanes);
    ctx.font = FONT;
    ctx.textBaseline = "middle";
    for (const line of lanes) paintWide(ctx, width, line, picture, window, colors, brushes.labels);
    for (const { counter, top: at, height: tall } of items) {
      const values = counter && window.counters.find((each) => each.counter === counter.counter);
      if (counter && values) paintCounter(ctx, { top: at, height: tall, width }, counter, values, window, range, colors);
    }
  }
  ctx.restore();
  paintMarkLines(ctx, { width, height }, range, picture.marks, colors);
  ctx.save();
  ctx.translate(0, -top);
  paintArea(ctx, width, height, picture, colors);
  for (const { from, to } of picture.arrows) paintArrow(ctx, width, picture, from, to, colors);
  if (picture.hovered) paintOutline(ctx, width, picture, picture.hovered, colors.soft, 1);
  if (picture.selected) paintOutline(ctx, width, picture, picture.selected, colors.ink, 2);
  ctx.restore();
}

function paintGround(
  ctx: CanvasRenderingContext2D,
  width: number,
  height: number,
  items: readonly TimelineItem[],
  { range, top, steps }: TimelinePicture,
  colors: TimelineColors,
): void {
  for (const item of items) {
    ctx.fillStyle = item.kind === "process" ? colors.side : colors.hairline;
    if (item.kind === "process") ctx.fillRect(0, item.top, width, item.height);
    else ctx.fillRect(0, item.top + item.height + 2, width, 1);
  }
  ctx.fillStyle = colors.grid;
  const shown = steps.filter(({ begin_ns, duration_ns }) => begin_ns + duration_ns >= range.begin && begin_ns <= range.end);
  if (shown.length * STEP_PITCH > width) return;
  for (const { begin_ns, duration_ns } of shown) {
    for (const time of [begin_ns, begin_ns + duration_ns]) {
      if (time >= range.begin && time <= range.end) ctx.fillRect(Math.round(xOf(range, time, width)), top, 1, height);
    }
  }
}

/** Of a closed process: the tracks whose first rows are drawn in it. */
export function closedTracks({ tracks }: TimelineItem): readonly TimelineTrack[] {
  return tracks.filter(({ rows }) => rows > 0).slice(0, CLOSED_LINES);
}

/** Lanes of the window that are in sight, and where. */
function placedLanes(window: TimelineWindow, items: readonly TimelineItem[], top: number, bottom: number): CellLine[] {
  const lanes = lanesOf(window);
  const lines: CellLine[] = [];
  for (const item of items) {
    if (item.kind === "process") {
      const shown = closedTracks(item);
      const tall = Math.max(LEAST_LINE, Math.floor((item.height - 6) / Math.max(1, shown.length)));
      shown.forEach(({ track }, index) => {
        const lane = lanes.get(track)?.get(0);
        if (lane !== undefined) lines.push({ lane, top: item.top + 2 + index * tall, height: Math.max(1, tall - 1) });
      });
    } else if (item.track) {
      for (let row = 0; row < item.rows; row++) {
        const at = item.top + row * ROW_HEIGHT;
        const lane = lanes.get(item.track.track)?.get(row);
        if (lane !== undefined && at + ROW_HEIGHT >= top && at <= bottom) lines.push({ lane, top: at, height: ROW_HEIGHT - 1 });
      }
    }
  }
  return lines;
}

function paintWide(
  ctx: CanvasRenderingContext2D,
  width: number,
  { lane, top, height }: CellLine,
  { range, matches }: TimelinePicture,
  window: TimelineWindow,
  colors: TimelineColors,
  labels: SliceLabels,
): void {
  const scale = width / (range.end - range.begin);
  for (let place = window.lane_wide[lane]!; place < window.lane_wide[lane + 1]!; place++) {
    const left = (window.wide_begin[place]! - range.begin) * scale;
    if (left >= width) break;
    const right = left + window.wide_duration[place]! * scale;
    if (right <= 0) continue;
    const [from, to] = [Math.max(0, left), Math.min(width, right)];
    const name = window.names[window.wide_name[place]!] ?? "";
    const color = window.colors[window.wide_name[place]!] ?? 0;
    const isPale = matches !== null && !matches(name);
    ctx.globalAlpha = isPale ? PALE : 1;
    ctx.fillStyle = colors.slices[color]!;
    const wide = to - from;
    ctx.fillRect(from, top, wide > 3 && right <= width ? wide - 1 : Math.max(1, wide), height);
    if (wide >= LABELED && height > 11) {
      const text = labels.fit(ctx, name, wide - 2 * PADDING);
      ctx.fillStyle = colors.ink;
      if (text !== "") ctx.fillText(text, from + PADDING, top + height / 2 + 0.5);
    }
  }
  ctx.globalAlpha = 1;
}

function paintArea(ctx: CanvasRenderingContext2D, width: number, height: number, picture: TimelinePicture, colors: TimelineColors): void {
  const { area, range, layout, top } = picture;
  if (!area) return;
  const [left, right] = [xOf(range, area.begin, width), xOf(range, area.end, width)];
  if (right < 0 || left > width) return;
  const spans = area.tracks?.flatMap((track) => layout.byTrack.get(track) ?? []) ?? [{ top, height }];
  ctx.fillStyle = colors.accent;
  ctx.globalAlpha = 0.12;
  for (const span of new Set(spans)) ctx.fillRect(left, span.top, right - left, span.height);
  ctx.globalAlpha = 1;
  for (const x of [left, right]) ctx.fillRect(Math.round(x), top, 1, height);
}

function paintOutline(
  ctx: CanvasRenderingContext2D,
  width: number,
  { range, layout }: TimelinePicture,
  { track, row, begin, duration }: MarkedSlice,
  color: string,
  line: number,
): void {
  const item = layout.byTrack.get(track);
  if (!item || item.kind === "process" || row >= item.rows) return;
  const [left, right] = [xOf(range, begin, width), xOf(range, begin + duration, width)];
  if (right < -2 || left > width + 2) return;
  const [from, to] = [Math.max(-line, left), Math.min(width + line, Math.max(right - 1, left + 2))];
  ctx.strokeStyle = color;
  ctx.lineWidth = line;
  ctx.strokeRect(from, item.top + row * ROW_HEIGHT, to - from, ROW_HEIGHT - 1);
}

/** A curve from the end of a slice to the begin of another; it leaves the picture where that one is out of sight. */
function paintArrow(
  ctx: CanvasRenderingContext2D,
  width: number,
  { range, layout }: TimelinePicture,
  from: MarkedSlice,
  to: MarkedSlice,
  colors: TimelineColors,
): void {
  const [startY, endY] = [rowMiddle(layout, from.track, from.row), rowMiddle(layout, to.track, to.row)];
  if (startY === null || endY === null) return;
  const startX = xOf(range, Math.min(from.begin + from.duration, Math.max(from.begin, to.begin)), width);
  const endX = xOf(range, to.begin, width);
  if (Math.max(startX, endX) < -width || Math.min(startX, endX) > 2 * width) return;
  const bend = Math.max(16, Math.min(80, Math.abs(endX - startX) / 2));
  for (const [color, line] of [
    [colors.paper, 4],
    [colors.ink, 1.5],
  ] as const) {
    ctx.strokeStyle = ctx.fillStyle = color;
    ctx.lineWidth = line;
    ctx.beginPath();
    ctx.moveTo(startX, startY);
    ctx.bezierCurveTo(startX + bend, startY, endX - bend, endY, endX - 3, endY);
    ctx.stroke();
  }
  ctx.beginPath();
  ctx.moveTo(endX, endY);
  ctx.lineTo(endX - 6, endY - 3.5);
  ctx.lineTo(endX - 6, endY + 3.5);
  ctx.fill();
}

// SPDX-License-Identifier: Apache-2.0
import type { FoundMark, TimelineStep, TimelineWindow } from "../../core/profiles/timeline";
import { timeTicks } from "../../core/profiles/timeText";
import type { TimeRange } from "../../core/profiles/timeRange";
import type { Size } from "../frame/plotFrame";
import type { CellRaster } from "./cellRaster";
import { paintMarks } from "./paintMarks";
import type { SliceLabels } from "./sliceLabels";
import { xOf, type AreaBox, type TimelineColors } from "./timelinePicture";

export const MINIMAP_HEIGHT = 36;
export const RULER_HEIGHT = 38;
const [TICK_ROOM, STEP_ROOM] = [96, 28];
const FONT = '11px "Inter Variable", system-ui, sans-serif';

export interface RulerPicture {
  range: TimeRange;
  whole: TimeRange;
  /** The first rows of all tracks over all of the time; null before the answer. */
  overview: TimelineWindow | null;
  steps: readonly TimelineStep[];
  area: AreaBox | null;
  /** Where slices that were searched begin, in pixels of the range. */
  hits: { begin: number; pixelNs: number; pixels: readonly number[] } | null;
  marks: readonly FoundMark[];
}

/** The minimap of the whole timeline, then the axis with steps and hits, then marks. */
export function paintRuler(
  ctx: CanvasRenderingContext2D,
  { width, height }: Size,
  picture: RulerPicture,
  colors: TimelineColors,
  { raster, labels }: { raster: CellRaster; labels: SliceLabels },
): void {
  ctx.clearRect(0, 0, width, height);
  ctx.font = FONT;
  paintMinimap(ctx, width, picture, colors, raster);
  ctx.save();
  ctx.translate(0, MINIMAP_HEIGHT);
  paintSteps(ctx, width, picture, colors);
  paintTicks(ctx, width, picture, colors);
  paintHits(ctx, width, picture, colors);
  paintRulerArea(ctx, width, picture, colors);
  ctx.translate(0, RULER_HEIGHT);
  paintMarks(ctx, width, picture.range, picture.marks, colors, labels);
  ctx.restore();
}

function paintMinimap(
  ctx: CanvasRenderingContext2D,
  width: number,
  { overview, whole, range }: RulerPicture,
  colors: TimelineColors,
  raster: CellRaster,
): void {
  if (overview) {
    const lanes = overview.lane_track.length;
    const tall = Math.max(1, Math.min(8, (MINIMAP_HEIGHT - 4) / Math.max(1, lanes)));
    const lines = Array.from({ length: Math.min(lanes, Math.floor((MINIMAP_HEIGHT - 4) / tall)) }, (_, lane) => ({
      ...{ lane, top: 2 + lane * tall, height: Math.max(1, tall - (tall > 2 ? 1 : 0)) },
    }));
    raster.paint(ctx, { window: overview, range: whole, width, packed: colors.packed, isPale: false }, lines);
    for (const { lane, top, height } of lines) {
      for (let place = overview.lane_wide[lane]!; place < overview.lane_wide[lane + 1]!; place++) {
        const left = xOf(whole, overview.wide_begin[place]!, width);
        const wide = (overview.wide_duration[place]! / (whole.end - whole.begin)) * width;
        ctx.fillStyle = colors.slices[overview.colors[overview.wide_name[place]!] ?? 0]!;
        ctx.fillRect(left, top, Math.max(1, wide), height);
      }
    }
  }
  const [left, right] = [xOf(whole, range.begin, width), xOf(whole, range.end, width)];
  ctx.fillStyle = colors.paper;
  ctx.globalAlpha = 0.72;
  ctx.fillRect(0, 0, left, MINIMAP_HEIGHT);
  ctx.fillRect(right, 0, width - right, MINIMAP_HEIGHT);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colors.accent;
  ctx.lineWidth = 1;
  ctx.strokeRect(Math.round(left) + 0.5, 0.5, Math.max(2, Math.round(right - left) - 1), MINIMAP_HEIGHT - 1);
}

function paintSteps(ctx: CanvasRenderingContext2D, width: number, { range, steps }: RulerPicture, colors: TimelineColors): void {
  ctx.textBaseline = "middle";
  let last = -Infinity;
  for (const { begin_ns, duration_ns, number } of steps) {
    if (begin_ns + duration_ns < range.begin || begin_ns > range.end) continue;
    const [left, right] = [xOf(range, begin_ns, width), xOf(range, begin_ns + duration_ns, width)];
    ctx.fillStyle = colors.wash;
    ctx.fillRect(Math.max(0, left), 1, Math.min(width, right) - Math.max(0, left) - 1, 15);
    const at = Math.max(0, left) + 4;
    const text = `#${number}`;
    if (at < last || Math.min(width, right) - at < STEP_ROOM) continue;
    ctx.fillStyle = colors.accent;
    ctx.fillText(text, at, 9);
    last = at + STEP_ROOM;
  }
}

function paintTicks(ctx: CanvasRenderingContext2D, width: number, { range }: RulerPicture, colors: TimelineColors): void {
  ctx.textBaseline = "alphabetic";
  for (const { at, label } of timeTicks(range, Math.max(2, Math.floor(width / TICK_ROOM)))) {
    const x = xOf(range, at, width);
    ctx.fillStyle = colors.hairline;
    ctx.fillRect(Math.round(x), 18, 1, RULER_HEIGHT - 18);
    ctx.fillStyle = colors.soft;
    if (x < width - 44) ctx.fillText(label, Math.round(x) + 4, 31);
  }
}

function paintHits(ctx: CanvasRenderingContext2D, width: number, { range, hits }: RulerPicture, colors: TimelineColors): void {
  if (!hits) return;
  ctx.fillStyle = colors.warn;
  for (const pixel of hits.pixels) {
    const x = xOf(range, hits.begin + pixel * hits.pixelNs, width);
    if (x >= -2 && x <= width) ctx.fillRect(x, RULER_HEIGHT - 4, Math.max(1, (hits.pixelNs / (range.end - range.begin)) * width), 4);
  }
}

function paintRulerArea(ctx: CanvasRenderingContext2D, width: number, { range, area }: RulerPicture, colors: TimelineColors): void {
  if (!area) return;
  const [left, right] = [xOf(range, area.begin, width), xOf(range, area.end, width)];
  ctx.fillStyle = colors.accent;
  ctx.globalAlpha = 0.2;
  ctx.fillRect(left, 17, right - left, RULER_HEIGHT - 17);
  ctx.globalAlpha = 1;
}

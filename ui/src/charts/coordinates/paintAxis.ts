// SPDX-License-Identifier: Apache-2.0
import { fittedEnd, fittedStart, type HeadBox } from "../../core/lineage/axisLayout";
import type { AxisScale, AxisTick } from "../../core/lineage/axisScale";
import type { Span } from "../../core/lineage/brushSpans";
import { formatSetting } from "../../core/text/format";
import { TICK_FONT } from "../frame/axes";
import { GROUP_COLORS } from "../frame/groupColors";
import { crisp, segment, type Ink, type Surface } from "../frame/surface";

/** Where all axes are, in CSS pixels. */
export interface AxisArea {
  top: number;
  height: number;
  /** Height at which lines pass that have no place on an axis. */
  gapY: number;
  /** Room for a label. */
  labelWidth: number;
}

export interface AxisPainting {
  surface: Surface;
  ink: Ink;
  ratio: number;
  /** Place of the axis. */
  x: number;
  scale: AxisScale;
  spans: readonly Span[];
  area: AxisArea;
  /** The mark of runs without a place, in one or two lines; empty if there are none. */
  gapLabel: readonly string[];
}

export const HEAD_ROW = 18;
const BOLD_FONT = `600 ${TICK_FONT}`;
/** Digits are drawn at equal widths, and measured at their own. */
const DIGITS = /\d/g;
const TICK_HEIGHT = 36;
const CATEGORY_HEIGHT = 15;
const LABEL_GAP = 7;
const HALO = 3;
const GAP_MARK = 5;
const LINE_HEIGHT = 12;

export function axisTicks(scale: AxisScale, height: number): AxisTick[] {
  const room = scale.kind === "category" ? CATEGORY_HEIGHT : TICK_HEIGHT;
  return scale.ticks(Math.max(2, Math.floor(height / room)));
}

/** Height of a place on the axis. */
export function heightOf({ top, height }: AxisArea, share: number): number {
  return top + (1 - share) * height;
}

/** Axis line, ticks with labels, ends of brushes, and the mark of runs without a place. */
export function paintAxis(painting: AxisPainting): void {
  const { surface, ink, ratio, x, area, spans } = painting;
  surface.save();
  surface.lineJoin = "round";
  surface.beginPath();
  segment(surface, crisp(x, ratio), area.top, crisp(x, ratio), area.top + area.height);
  surface.strokeStyle = ink("var(--paper)");
  surface.lineWidth = HALO;
  surface.stroke();
  surface.strokeStyle = ink(spans.length > 0 ? "var(--ink)" : "var(--ink-soft)");
  surface.lineWidth = 1;
  surface.stroke();
  paintTicks(painting);
  if (painting.scale.kind !== "category") paintEnds(painting);
  paintGap(painting);
  surface.restore();
}

function paintTicks(painting: AxisPainting): void {
  const { surface, ink, ratio, x, scale, spans, area } = painting;
  const ticks = axisTicks(scale, area.height);
  surface.beginPath();
  for (const { share } of ticks) {
    const y = crisp(heightOf(area, share), ratio);
    segment(surface, x - 4, y, x, y);
  }
  surface.stroke();
  surface.textAlign = "right";
  surface.textBaseline = "middle";
  const fit = scale.kind === "category" ? fittedStart : fittedEnd;
  for (const { share, label } of ticks) {
    const isBold = spans.some(({ from, to }) => share >= from - 1e-6 && share <= to + 1e-6);
    surface.font = isBold ? BOLD_FONT : TICK_FONT;
    const text = fit(label, area.labelWidth, (each) => surface.measureText(each.replace(DIGITS, "0")).width);
    haloed(surface, ink, text, x - LABEL_GAP, Math.round(heightOf(area, share)), isBold || spans.length === 0);
  }
}

/** The numbers at both ends of each brush, outside of it. */
function paintEnds({ surface, ink, x, scale, spans, area }: AxisPainting): void {
  surface.font = BOLD_FONT;
  surface.textAlign = "left";
  surface.textBaseline = "middle";
  for (const { from, to } of spans) {
    haloed(surface, ink, formatSetting(scale.valueAt(to)), x + LABEL_GAP, Math.max(area.top, heightOf(area, to) - 8), true);
    haloed(
      surface,
      ink,
      formatSetting(scale.valueAt(from)),
      x + LABEL_GAP,
      Math.min(area.top + area.height, heightOf(area, from) + 8),
      true,
    );
  }
}

function paintGap({ surface, ink, x, area: { gapY }, gapLabel }: AxisPainting): void {
  if (gapLabel.length === 0) return;
  surface.strokeStyle = ink("var(--ink-soft)");
  surface.beginPath();
  segment(surface, x - GAP_MARK, gapY, x + GAP_MARK, gapY);
  surface.stroke();
  surface.font = TICK_FONT;
  surface.textAlign = "center";
  surface.textBaseline = "top";
  gapLabel.forEach((line, index) => haloed(surface, ink, line, x, gapY + 4 + index * LINE_HEIGHT, false));
}

/** Readable on top of lines. */
function haloed(surface: Surface, ink: Ink, text: string, x: number, y: number, isStrong: boolean): void {
  surface.strokeStyle = ink("var(--paper)");
  surface.lineWidth = HALO;
  surface.strokeText(text, x, y);
  surface.lineWidth = 1;
  surface.fillStyle = ink(isStrong ? "var(--ink)" : "var(--ink-soft)");
  surface.fillText(text, x, y);
}

/** The name of a column with the dot of its group, for files. */
export function paintHead({ surface, ink, scale: { column }, spans }: AxisPainting, { row, middle, width }: HeadBox): void {
  const left = middle - width / 2;
  const y = row * HEAD_ROW + HEAD_ROW / 2;
  surface.fillStyle = ink(GROUP_COLORS[column.group]);
  surface.beginPath();
  surface.arc(left + 4, y, 3, 0, 2 * Math.PI);
  surface.fill();
  surface.font = spans.length > 0 ? BOLD_FONT : TICK_FONT;
  surface.textAlign = "left";
  surface.textBaseline = "middle";
  surface.fillStyle = ink("var(--ink)");
  surface.fillText(
    fittedEnd(column.name, width - 12, (text) => surface.measureText(text).width),
    left + 12,
    y,
  );
}

// SPDX-License-Identifier: Apache-2.0
import { fittedStart } from "../../core/lineage/axisLayout";
import type { AxisScale } from "../../core/lineage/axisScale";
import { CATEGORY_COLORS, NO_COLOR } from "../../core/lineage/lineColors";
import type { TargetGroup } from "../../core/lineage/targetGroups";
import type { Area } from "../../core/series/histogramLayout";
import { groupDigits } from "../../core/text/format";
import { TICK_FONT } from "../frame/axes";
import { labelWidth } from "../frame/labelWidth";
import type { Size } from "../frame/plotFrame";
import { crisp, segment, type Ink, type Surface } from "../frame/surface";
import type { MarkLines } from "./markFocus";

interface Painting {
  surface: Surface;
  size: Size;
  ratio: number;
  ink: Ink;
}

const TOP = 8;
const BOTTOM = 24;
const RIGHT = 56;
const LONGEST_LABEL = 140;
const ROW_GAP = 6;
const TICK_WIDTH = 60;

function areaOf({ width, height }: Size, labels: readonly string[]): Area {
  const left = Math.min(LONGEST_LABEL, Math.max(24, ...labels.map(labelWidth))) + 10;
  return { left, top: TOP, width: Math.max(1, width - left - RIGHT), height: Math.max(1, height - TOP - BOTTOM) };
}

/** The bar at a place of the chart; null beside all bars. */
export function histogramCell(
  at: { x: number; y: number },
  size: Size,
  groups: readonly TargetGroup[],
  labels: readonly string[],
): { group: number; bin: number } | null {
  const { left, top, width, height } = areaOf(size, labels);
  const group = Math.floor(((at.y - top) / height) * groups.length);
  const bin = Math.floor(((at.x - left) / width) * (groups[group]?.counts.length ?? 0));
  return groups[group]?.counts[bin] === undefined ? null : { group, bin };
}

/** The middles of the bars, a line for each group. */
export function histogramMarks(size: Size, groups: readonly TargetGroup[], labels: readonly string[]): MarkLines {
  const { left, top, width, height } = areaOf(size, labels);
  return groups.map(({ counts }, group) =>
    Array.from(counts, (_, bin) => ({
      x: left + ((bin + 0.5) / counts.length) * width,
      y: top + ((group + 0.5) / groups.length) * height,
    })),
  );
}

/** All groups have the same bins; heights are shares of each group, so that small groups can be compared with large ones. */
export function paintTargetHistogram(
  painting: Painting,
  target: AxisScale,
  groups: readonly TargetGroup[],
  labels: readonly string[],
): void {
  const { surface, size } = painting;
  const area = areaOf(size, labels);
  surface.save();
  surface.font = TICK_FONT;
  surface.lineWidth = 1;
  paintBottom(painting, target, area);
  const most = Math.max(...groups.map(({ counts, size: whole }) => Math.max(...counts) / Math.max(1, whole)));
  const height = area.height / Math.max(1, groups.length);
  groups.forEach((group, index) => {
    const base = area.top + (index + 1) * height;
    paintRow(
      painting,
      group,
      area,
      base,
      height - ROW_GAP,
      most,
      group.label === null && groups.length > 1 ? NO_COLOR : CATEGORY_COLORS[index % CATEGORY_COLORS.length]!,
    );
    paintMedian(painting, target, group, area, base, height - ROW_GAP);
    paintNames(painting, labels[index]!, group, area, base - height / 2 + ROW_GAP / 2);
  });
  surface.restore();
}

function paintBottom({ surface, ratio, ink }: Painting, target: AxisScale, { left, top, width, height }: Area): void {
  surface.textAlign = "center";
  surface.textBaseline = "top";
  for (const { share, label } of target.ticks(Math.max(2, Math.floor(width / TICK_WIDTH)))) {
    const x = left + share * width;
    surface.beginPath();
    segment(surface, crisp(x, ratio), top, crisp(x, ratio), top + height);
    surface.strokeStyle = ink("var(--grid-line)");
    surface.stroke();
    surface.fillStyle = ink("var(--ink-soft)");
    surface.fillText(label, x, top + height + 6);
  }
}

function paintRow(
  { surface, ratio, ink }: Painting,
  group: TargetGroup,
  area: Area,
  base: number,
  height: number,
  most: number,
  color: string,
): void {
  const step = area.width / group.counts.length;
  surface.fillStyle = ink(color);
  surface.globalAlpha = 0.72;
  group.counts.forEach((count, bin) => {
    if (count === 0) return;
    const depth = Math.max(1, (count / group.size / most) * height);
    surface.fillRect(area.left + bin * step + 0.5, base - depth, Math.max(1, step - 1), depth);
  });
  surface.globalAlpha = 1;
  surface.beginPath();
  segment(surface, area.left, crisp(base, ratio), area.left + area.width, crisp(base, ratio));
  surface.strokeStyle = ink("var(--outline)");
  surface.stroke();
}

function paintMedian(
  { surface, ratio, ink }: Painting,
  target: AxisScale,
  { median }: TargetGroup,
  area: Area,
  base: number,
  height: number,
): void {
  if (Number.isNaN(median)) return;
  const x = crisp(area.left + target.shareOf(median) * area.width, ratio);
  surface.beginPath();
  segment(surface, x, base - height, x, base);
  surface.strokeStyle = ink("var(--ink)");
  surface.stroke();
}

function paintNames({ surface, ink }: Painting, label: string, { size }: TargetGroup, { left, width }: Area, y: number): void {
  surface.textBaseline = "middle";
  surface.textAlign = "right";
  surface.fillStyle = ink("var(--ink)");
  surface.fillText(
    fittedStart(label, LONGEST_LABEL, (text) => surface.measureText(text).width),
    left - 8,
    y,
  );
  surface.textAlign = "left";
  surface.fillStyle = ink("var(--ink-soft)");
  surface.fillText(groupDigits(size), left + width + 8, y);
}

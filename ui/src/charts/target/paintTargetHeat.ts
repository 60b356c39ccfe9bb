// SPDX-License-Identifier: Apache-2.0
import { fittedStart } from "../../core/lineage/axisLayout";
import type { AxisScale, AxisTick } from "../../core/lineage/axisScale";
import type { LineageColumn } from "../../core/lineage/column";
import type { AxisPart, TargetGrid } from "../../core/lineage/targetGroups";
import { MAP } from "../../core/scales/colorMap";
import type { Area } from "../../core/series/histogramLayout";
import { formatValue } from "../../core/text/format";
import { TICK_FONT } from "../frame/axes";
import { labelWidth } from "../frame/labelWidth";
import type { Size } from "../frame/plotFrame";
import { segment, type Ink, type Surface } from "../frame/surface";
import type { MarkLines } from "./markFocus";

interface Painting {
  surface: Surface;
  size: Size;
  ratio: number;
  ink: Ink;
}

interface HeatDrawing {
  x: AxisScale;
  y: AxisScale;
  target: LineageColumn;
  grid: TargetGrid;
  /** How many runs are left out; "" for none. */
  note: string;
}

const TITLE_FONT = `600 ${TICK_FONT}`;
const TOP = 22;
const BOTTOM = 60;
const RIGHT = 12;
const LONGEST_LABEL = 130;
const LEGEND = 120;
/** Room for a label. */
const X_TICK = 56;
const Y_TICK = 30;

/** Labels of an axis at their places: its categories, or ticks between its ranges. */
function ticksOf(scale: AxisScale, parts: readonly AxisPart[], length: number, room: number): AxisTick[] {
  if (scale.kind !== "category") return scale.ticks(Math.max(2, Math.floor(length / room)));
  return parts.map(({ label }, index) => ({ label, share: (index + 0.5) / parts.length }));
}

function areaOf({ width, height }: Size, y: AxisScale, grid: TargetGrid): Area {
  const labels = ticksOf(y, grid.rows, height, Y_TICK).map(({ label }) => labelWidth(label));
  const left = Math.min(LONGEST_LABEL, Math.max(30, ...labels)) + 10;
  return { left, top: TOP, width: Math.max(1, width - left - RIGHT), height: Math.max(1, height - TOP - BOTTOM) };
}

/** The cell at a place of the chart; null beside all cells. */
export function heatCell(at: { x: number; y: number }, size: Size, y: AxisScale, grid: TargetGrid): number | null {
  const { left, top, width, height } = areaOf(size, y, grid);
  const column = Math.floor(((at.x - left) / width) * grid.columns.length);
  const row = Math.floor((1 - (at.y - top) / height) * grid.rows.length);
  const isIn = column >= 0 && column < grid.columns.length && row >= 0 && row < grid.rows.length;
  return isIn ? row * grid.columns.length + column : null;
}

/** The middles of the cells, the top line first. */
export function heatMarks(size: Size, y: AxisScale, grid: TargetGrid): MarkLines {
  const { left, top, width, height } = areaOf(size, y, grid);
  const [columns, rows] = [grid.columns.length, grid.rows.length];
  return grid.rows.map((_, row) =>
    grid.columns.map((_, column) => ({ x: left + ((column + 0.5) / columns) * width, y: top + ((row + 0.5) / rows) * height })),
  );
}

export function paintTargetHeat(painting: Painting, drawing: HeatDrawing): void {
  const { surface, size } = painting;
  surface.save();
  surface.font = TICK_FONT;
  surface.lineWidth = 1;
  const area = areaOf(size, drawing.y, drawing.grid);
  const ends = endsOf(drawing.grid);
  paintCells(painting, drawing, area, ends);
  paintLabels(painting, drawing, area);
  if (ends) paintLegend(painting, drawing, ends);
  surface.restore();
}

function endsOf({ means }: TargetGrid): readonly [number, number] | null {
  const found = means.filter(Number.isFinite);
  return found.length === 0
    ? null
    : [found.reduce((one, other) => Math.min(one, other)), found.reduce((one, other) => Math.max(one, other))];
}

/** The color of the map at a share, in any theme. */
function mix(share: number): string {
  const place = Math.max(0, Math.min(1, share)) * (MAP.length - 1);
  const index = Math.min(MAP.length - 2, Math.floor(place));
  const part = Math.round(100 * (1 - (place - index)));
  return `color-mix(in srgb, ${MAP[index]!} ${part}%, ${MAP[index + 1]!})`;
}

function paintCells({ surface, ink }: Painting, { target, grid }: HeatDrawing, area: Area, ends: readonly [number, number] | null): void {
  const [width, height] = [area.width / grid.columns.length, area.height / grid.rows.length];
  const [low, high] = ends ?? [0, 1];
  grid.means.forEach((mean, cell) => {
    const [column, row] = [cell % grid.columns.length, Math.floor(cell / grid.columns.length)];
    const [x, y] = [area.left + column * width, area.top + area.height - (row + 1) * height];
    if (Number.isNaN(mean)) {
      surface.strokeStyle = ink("var(--hairline)");
      surface.beginPath();
      surface.rect(x + 1, y + 1, Math.max(1, width - 2), Math.max(1, height - 2));
      segment(surface, x + 1, y + height - 1, x + width - 1, y + 1);
      surface.stroke();
      return;
    }
    const share = high > low ? (mean - low) / (high - low) : 0.5;
    surface.fillStyle = ink(mix(target.goal === "min" ? 1 - share : share));
    surface.fillRect(x + 0.5, y + 0.5, Math.max(1, width - 1), Math.max(1, height - 1));
  });
}

function paintLabels({ surface, ink, size }: Painting, { x, y, grid, note }: HeatDrawing, area: Area): void {
  const measure = (text: string): number => surface.measureText(text).width;
  surface.fillStyle = ink("var(--ink-soft)");
  surface.textBaseline = "middle";
  surface.textAlign = "right";
  for (const { label, share } of ticksOf(y, grid.rows, area.height, Y_TICK)) {
    surface.fillText(fittedStart(label, area.left - 10, measure), area.left - 6, area.top + (1 - share) * area.height);
  }
  surface.textAlign = "center";
  surface.textBaseline = "top";
  const room = x.kind === "category" ? area.width / grid.columns.length - 4 : X_TICK;
  for (const { label, share } of ticksOf(x, grid.columns, area.width, X_TICK)) {
    surface.fillText(fittedStart(label, room, measure), area.left + share * area.width, area.top + area.height + 5);
  }
  surface.textBaseline = "middle";
  surface.textAlign = "right";
  surface.fillText(note, size.width - RIGHT, 10);
  surface.font = TITLE_FONT;
  surface.fillStyle = ink("var(--ink)");
  surface.textAlign = "left";
  surface.fillText(y.column.name, 4, 10);
  surface.textAlign = "center";
  surface.fillText(x.column.name, area.left + area.width / 2, area.top + area.height + 28);
  surface.font = TICK_FONT;
}

function paintLegend({ surface, ink, size }: Painting, { target }: HeatDrawing, [low, high]: readonly [number, number]): void {
  const y = size.height - 14;
  const left = size.width - RIGHT - LEGEND - 60;
  const steps = 24;
  for (let step = 0; step < steps; step++) {
    const share = (step + 0.5) / steps;
    surface.fillStyle = ink(mix(target.goal === "min" ? 1 - share : share));
    surface.fillRect(left + (step * LEGEND) / steps, y, LEGEND / steps, 8);
  }
  surface.fillStyle = ink("var(--ink-soft)");
  surface.textBaseline = "middle";
  surface.textAlign = "right";
  surface.fillText(`${target.name}  ${formatValue(low, 3)}`, left - 6, y + 4);
  surface.textAlign = "left";
  surface.fillText(formatValue(high, 3), left + LEGEND + 6, y + 4);
}

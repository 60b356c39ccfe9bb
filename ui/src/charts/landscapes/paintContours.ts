// SPDX-License-Identifier: Apache-2.0
import { inkOver } from "../../core/landscapes/colorMaps";
import { isPartial } from "../../core/landscapes/landscape";
import { lossOfHeight, type LossScale } from "../../core/landscapes/lossScale";
import { POINT } from "../../core/landscapes/surface";
import { colorAt, rgbText } from "../../core/scales/colorMap";
import { formatValue } from "../../core/text/format";
import { TICK_FONT } from "../frame/axes";
import { paintAxes } from "../frame/paintAxes";
import type { PlotFrame } from "../frame/plotFrame";
import { segment, type Ink, type Surface } from "../frame/surface";
import { labelPlace, type LineLabel } from "./contourLabels";
import type { Contour } from "./contourShapes";
import { missingColor, type DrawnLandscape, type LandscapeLook } from "./drawnLandscape";

export interface ContourPainting {
  surface: Surface;
  ratio: number;
  ink: Ink;
  frame: PlotFrame;
  all: readonly { drawn: DrawnLandscape; contours: readonly Contour[] }[];
  look: LandscapeLook;
  /** Fills between the lines. */
  isFilled: boolean;
}

/** Contours as lines or as a map, with what is missing. */
export function paintContours(painting: ContourPainting): void {
  const { surface, frame, all, isFilled } = painting;
  paintAxes(painting);
  surface.save();
  surface.beginPath();
  surface.rect(frame.area.left, frame.area.top, frame.area.width, frame.area.height);
  surface.clip();
  if (isFilled) for (const each of all) paintFill(painting, each);
  for (const { drawn } of all) paintMissing(painting, drawn);
  const labels: LineLabel[] = [];
  for (const each of all) paintLines(painting, each, labels);
  for (const { drawn } of all) paintPoints(painting, drawn);
  surface.restore();
}

function paintFill({ surface, frame, look: { stops } }: ContourPainting, { drawn, contours }: ContourPainting["all"][number]): void {
  const { x, y } = frame.projections[0]!;
  const { x: columns, y: rows } = drawn.landscape;
  const color = (height: number): string => rgbText(colorAt(stops, height));
  const [left, right, top, bottom] = [x(columns[0]!), x(columns.at(-1)!), y(rows.at(-1)!), y(rows[0]!)];
  surface.fillStyle = color(contours.length > 0 ? 0 : 0.5);
  surface.fillRect(left, top, right - left, bottom - top);
  contours.forEach(({ rings }, index) => {
    surface.beginPath();
    for (const ring of rings) {
      ring.forEach(([atX, atY], place) => (place === 0 ? surface.moveTo(x(atX), y(atY)) : surface.lineTo(x(atX), y(atY))));
      surface.closePath();
    }
    surface.fillStyle = color((index + 1) / contours.length);
    surface.fill();
  });
}

function paintLines(painting: ContourPainting, { drawn, contours }: ContourPainting["all"][number], labels: LineLabel[]): void {
  const { surface, ink, frame, all, look, isFilled } = painting;
  const { x, y } = frame.projections[0]!;
  const isMany = all.length > 1;
  surface.lineWidth = isFilled ? 0.75 : 1.25;
  surface.lineJoin = "round";
  contours.forEach(({ height, lines }, index) => {
    const placed = lines.map((line) => line.map(([atX, atY]) => [x(atX), y(atY)] as const));
    surface.beginPath();
    for (const line of placed) line.forEach(([left, top], place) => (place === 0 ? surface.moveTo(left, top) : surface.lineTo(left, top)));
    const own = rgbText(colorAt(look.stops, height));
    if (!isMany && !isFilled) {
      // a color near that of the page is a line too
      surface.globalAlpha = 0.35;
      surface.lineWidth = 2;
      surface.strokeStyle = ink("var(--ink-soft)");
      surface.stroke();
      surface.globalAlpha = 1;
      surface.lineWidth = 1.25;
    }
    surface.strokeStyle = isMany ? ink(drawn.color) : isFilled ? lineOver(look, height) : own;
    surface.stroke();
    if (index % stride(contours.length) === 0 || contours.length <= 8) labelLine(painting, placed, height, drawn, labels);
  });
}

/** Every how many lines one has a label. */
function stride(count: number): number {
  return Math.max(1, Math.ceil(count / 10));
}

function lineOver({ stops }: LandscapeLook, height: number): string {
  return inkOver(stops, height) === "black" ? "rgb(0 0 0 / 0.45)" : "rgb(255 255 255 / 0.55)";
}

function labelLine(
  { surface, ink, frame, look, isFilled }: ContourPainting,
  lines: readonly (readonly (readonly [number, number])[])[],
  height: number,
  { scale }: { scale: LossScale },
  labels: LineLabel[],
): void {
  surface.font = TICK_FONT;
  const text = formatValue(lossOfHeight(scale, height), 3);
  const label = labelPlace(lines, surface.measureText(text).width + 8, frame.area, labels);
  if (!label) return;
  labels.push(label);
  surface.save();
  surface.translate(label.x, label.y);
  surface.rotate(label.angle);
  surface.textAlign = "center";
  surface.textBaseline = "middle";
  surface.lineJoin = "round";
  surface.lineWidth = 3.5;
  const over = inkOver(look.stops, height);
  surface.strokeStyle = isFilled ? rgbText(colorAt(look.stops, height)) : ink("var(--paper)");
  surface.strokeText(text, 0, 0);
  surface.fillStyle = isFilled ? (over === "black" ? "rgb(0 0 0)" : "rgb(255 255 255)") : ink("var(--ink)");
  surface.fillText(text, 0, 0);
  surface.restore();
}

const HATCH = 5;

/** Points without a loss: their cells, hatched in the color of what they are. */
function paintMissing({ surface, ink, frame }: ContourPainting, { landscape, surface: { state } }: DrawnLandscape): void {
  const { x, y } = frame.projections[0]!;
  const cells = (coordinates: Float64Array, index: number): [number, number] => [
    index === 0 ? coordinates[0]! : (coordinates[index - 1]! + coordinates[index]!) / 2,
    index === coordinates.length - 1 ? coordinates[index]! : (coordinates[index]! + coordinates[index + 1]!) / 2,
  ];
  const columns = landscape.x.length;
  for (const kind of [POINT.nan, POINT.positiveInfinity, POINT.negativeInfinity]) {
    const points = [...state.keys()].filter((point) => state[point] === kind);
    const color = missingColor(kind, isPartial(landscape));
    if (points.length === 0 || color === null) continue;
    surface.save();
    const boxes = points.map((point) => {
      const [from, to] = cells(landscape.x, point % columns);
      const [low, high] = cells(landscape.y, Math.floor(point / columns));
      return { left: x(from), top: y(high), width: x(to) - x(from), height: y(low) - y(high) };
    });
    surface.fillStyle = ink("var(--paper)");
    for (const { left, top, width, height } of boxes) surface.fillRect(left, top, width, height);
    surface.beginPath();
    for (const box of boxes) hatch(surface, box);
    surface.strokeStyle = ink(color);
    surface.lineWidth = 1;
    surface.stroke();
    surface.restore();
  }
}

/** Lines at 45 degrees through a rectangle, in line with those of its neighbors. */
function hatch(surface: Surface, { left, top, width, height }: { left: number; top: number; width: number; height: number }): void {
  const [right, bottom] = [left + width, top + height];
  for (let sum = Math.ceil((left + top) / HATCH) * HATCH; sum < right + bottom; sum += HATCH) {
    const [fromX, toX] = [Math.max(left, sum - bottom), Math.min(right, sum - top)];
    if (toX > fromX) segment(surface, fromX, sum - fromX, toX, sum - toX);
  }
}

/** The points whose loss was computed, as dots. */
function paintPoints({ surface, ink, frame, look }: ContourPainting, { landscape, surface: { state } }: DrawnLandscape): void {
  if (!look.hasPoints) return;
  const { x, y } = frame.projections[0]!;
  const columns = landscape.x.length;
  surface.globalAlpha = 0.55;
  surface.fillStyle = ink("var(--ink)");
  state.forEach((kind, point) => {
    if (kind !== POINT.computed) return;
    surface.beginPath();
    surface.arc(x(landscape.x[point % columns]!), y(landscape.y[Math.floor(point / columns)]!), 1, 0, 2 * Math.PI);
    surface.fill();
  });
  surface.globalAlpha = 1;
}

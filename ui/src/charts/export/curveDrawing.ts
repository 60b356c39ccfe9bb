// SPDX-License-Identifier: Apache-2.0
import type { Floats } from "../../core/series/series";
import { bandOpacity } from "../../core/series/band";
import { wholeRanges, type Curve, type Ranges, type Scaling } from "../../core/series/curve";
import { drawableValues, traceBand, traceCurve, type Pen, type Projection } from "../../core/series/curvePath";
import { pixel, type Drawing } from "../../core/layout/vectorDrawing";
import { BEHIND, escapeXml } from "../frame/svgChart";
import type { PlaceAxis } from "../frame/axes";
import { edgeMarks } from "../frame/edgeMarks";
import { labelWidth } from "../frame/labelWidth";
import type { Guide } from "../curves/paintMarks";
import { plotFrame, type PlotFrame, type Size, type YAxisFrame } from "../frame/plotFrame";

interface DrawnCurves {
  curves: readonly Curve[];
  axis: PlaceAxis;
  /** Name of the x-axis if it is neither time nor steps; otherwise "". */
  axisName?: string;
  scaling: Scaling;
  /** One for each vertical axis. */
  yAxes: readonly { title: string; color: string | null }[];
  guides?: readonly Guide[];
  /** Null shows all of the curves. */
  ranges?: Ranges | null;
  size: Size;
  by?: "x" | "point";
  /** Curves in the background. */
  faint?: readonly Curve[];
}

/** Curves with all of their axes as a drawing of a page, as the chart on the screen shows them. */
export function curveDrawing(chart: DrawnCurves): Drawing {
  const { curves, axis, scaling, yAxes, guides = [], size, faint = [] } = chart;
  const ranges =
    chart.ranges ??
    wholeRanges(
      curves,
      scaling,
      guides.map(({ value }) => value),
    );
  const across = { axis, isLog: scaling.isLogX };
  const frame = plotFrame(
    size,
    ranges,
    across,
    yAxes.map((upright) => ({ ...upright, isLog: scaling.isLog })),
    labelWidth,
  );
  const { area } = frame;
  const lines = [...faint.map((curve) => stroke(curve, curve.raw, frame, scaling, 0.3)), ...strokes(curves, frame, scaling)];
  return {
    ...size,
    body: [
      grid(frame),
      bottom(frame),
      ...frame.yAxes.map((_, index) => upright(frame, index)),
      clipped(frame, lines.join("")),
      ...curves.filter(({ isBehind }) => !isBehind).map((curve) => marks(curve, frame, scaling)),
      ...guides.map((one) => guide(one, frame)),
    ].join(""),
    plot: {
      left: area.left,
      top: area.top,
      right: area.left + area.width,
      bottom: area.top + area.height,
      by: chart.by ?? "x",
      x: { name: chart.axisName || axis, range: ranges.x, isLog: scaling.isLogX },
      ys: ranges.ys.map((range, index) => ({ name: yAxes[index]?.title ?? "", range, isLog: scaling.isLog })),
    },
  };
}

/** An SVG inside of the SVG cuts what reaches beyond it, without a name that must be unique in the page. */
function clipped({ area: { left, top, width, height } }: PlotFrame, body: string): string {
  const box = `${pixel(left)} ${pixel(top)} ${pixel(width)} ${pixel(height)}`;
  return `<svg aria-hidden="true" x="${pixel(left)}" y="${pixel(top)}" width="${pixel(width)}" height="${pixel(height)}" viewBox="${box}">${body}</svg>`;
}

function grid({ area, bottom, yAxes, projections }: PlotFrame): string {
  const [right, base] = [area.left + area.width, area.top + area.height];
  const down = bottom.ticks.map((tick) => `M${pixel(projections[0]!.x(tick))} ${area.top}V${pixel(base)}`);
  const across = yAxes[0]!.ticks.map((tick) => `M${pixel(area.left)} ${pixel(projections[0]!.y(tick))}H${pixel(right)}`);
  return `<path class="grid" d="${[...down, ...across].join("")}"/><path class="axis" d="M${pixel(area.left)} ${pixel(base)}H${pixel(right)}"/>`;
}

function bottom({ area, bottom, projections }: PlotFrame): string {
  const y = pixel(area.top + area.height + 15);
  return bottom.labels
    .map((label, index) =>
      label === ""
        ? ""
        : `<text x="${pixel(projections[0]!.x(bottom.ticks[index]!))}" y="${y}" text-anchor="middle">${escapeXml(label)}</text>`,
    )
    .join("");
}

function upright({ area, yAxes, projections }: PlotFrame, index: number): string {
  const one = yAxes[index]!;
  const edge = one.isRight ? area.left + area.width + one.offset : area.left - one.offset;
  const look = `text-anchor="${one.isRight ? "start" : "end"}"${one.color === null ? "" : ` fill="${one.color}"`}`;
  const x = pixel(edge + (one.isRight ? 6 : -6));
  const labels = one.labels.map(
    (label, row) => `<text x="${x}" y="${pixel(projections[index]!.y(one.ticks[row]!) + 4)}" ${look}>${escapeXml(label)}</text>`,
  );
  return labels.join("") + title(one, edge, area.top + area.height / 2);
}

function title({ title, color, isRight, width }: YAxisFrame, edge: number, y: number): string {
  if (title === "") return "";
  const x = pixel(edge + (isRight ? width - 12 : 16 - width));
  const fill = color === null ? "" : ` fill="${color}"`;
  return `<text text-anchor="middle" transform="translate(${x} ${pixel(y)}) rotate(${isRight ? 90 : -90})"${fill}>${escapeXml(title)}</text>`;
}

function strokes(all: readonly Curve[], frame: PlotFrame, scaling: Scaling): string[] {
  const curves = all.filter(({ isBehind }) => !isBehind);
  const behind = all
    .filter(({ isBehind }) => isBehind)
    .map((curve) => stroke({ ...curve, color: "var(--ink)" }, curve.smoothed ?? curve.raw, frame, scaling, BEHIND));
  const opacity = bandOpacity(curves.filter(({ band }) => band !== null).length);
  const bands = curves.map((curve) => (curve.band ? area(curve, frame, scaling, opacity) : ""));
  const raw = curves.map((curve) =>
    curve.band && curve.smoothed ? "" : stroke(curve, curve.raw, frame, scaling, curve.smoothed ? 0.34 : 1),
  );
  const smoothed = curves.map((curve) => (curve.smoothed ? stroke(curve, curve.smoothed, frame, scaling, 1) : ""));
  return [...behind, ...bands, ...raw, ...smoothed];
}

function stroke(curve: Curve, values: Floats, frame: PlotFrame, scaling: Scaling, opacity: number): string {
  const pen = new TextPen();
  traceCurve(pen, curve.x, drawn(values, curve, scaling), projectionOf(frame, curve));
  const dots =
    pen.dots === ""
      ? ""
      : `<path class="dot" d="${pen.dots}" stroke="${curve.color}"${opacity < 1 ? ` stroke-opacity="${opacity}"` : ""}/>`;
  if (pen.path === "") return dots;
  const look = `${opacity < 1 ? ` stroke-opacity="${opacity}"` : ""}${curve.dash.length > 0 ? ` stroke-dasharray="${curve.dash.join(" ")}"` : ""}`;
  return `<path class="line" d="${pen.path}" stroke="${curve.color}"${look}/>${dots}`;
}

function area(curve: Curve, frame: PlotFrame, scaling: Scaling, opacity: number): string {
  const pen = new TextPen();
  traceBand(pen, curve.x, drawn(curve.band!.low, curve, scaling), drawn(curve.band!.high, curve, scaling), projectionOf(frame, curve));
  return pen.path === "" ? "" : `<path d="${pen.path}" fill="${curve.color}" fill-opacity="${Number(opacity.toPrecision(3))}"/>`;
}

function drawn(values: Floats, curve: Curve, { isLog, isLogX }: Scaling): Floats {
  return drawableValues(values, isLog, isLogX ? curve.x : null);
}

function projectionOf(frame: PlotFrame, { scale }: Curve): Projection {
  return frame.projections[scale] ?? frame.projections[0]!;
}

function marks(curve: Curve, frame: PlotFrame, { ignoresOutliers, ...scaling }: Scaling): string {
  return edgeMarks(curve, frame, { ...scaling, marksFar: ignoresOutliers })
    .map(({ path, isFilled }) => `<path class="line" d="${path}" stroke="${curve.color}"${isFilled ? ` fill="${curve.color}"` : ""}/>`)
    .join("");
}

function guide({ value, label }: Guide, { area: { left, top, width, height }, projections }: PlotFrame): string {
  const y = projections[0]!.y(value);
  if (!(y >= top && y <= top + height)) return "";
  const text = `<text class="guide" x="${pixel(left + width - 4)}" y="${pixel(y - top > 15 ? y - 4 : y + 13)}" text-anchor="end">${escapeXml(label)}</text>`;
  return `<path class="guide" d="M${pixel(left)} ${pixel(y)}H${pixel(left + width)}"/>${text}`;
}

/** Writes a path, and apart from it the points that have no neighbour: round caps of no length. */
class TextPen implements Pen {
  path = "";
  dots = "";

  moveTo(x: number, y: number): void {
    this.path += `M${pixel(x)} ${pixel(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `L${pixel(x)} ${pixel(y)}`;
  }

  dot(x: number, y: number): void {
    this.dots += `M${pixel(x)} ${pixel(y)}h0`;
  }
}

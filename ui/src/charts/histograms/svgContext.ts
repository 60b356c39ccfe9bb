// SPDX-License-Identifier: Apache-2.0
import { escapeXml } from "../frame/svgChart";
import { TICK_FONT } from "../frame/axes";

/** The part of a canvas context that histograms use, so that the same code draws an SVG. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "fillStyle"
  | "strokeStyle"
  | "lineWidth"
  | "font"
  | "textAlign"
  | "textBaseline"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "arc"
  | "fill"
  | "stroke"
  | "fillRect"
  | "fillText"
  | "measureText"
>;

const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: "middle", right: "end" };
const BASELINES: Partial<Record<CanvasTextBaseline, number>> = { top: 9, middle: 4 };

/** A pen that writes SVG. */
export class VectorPen implements Pen {
  fillStyle: string | CanvasGradient | CanvasPattern = "#000";
  strokeStyle: string | CanvasGradient | CanvasPattern = "#000";
  lineWidth = 1;
  font = TICK_FONT;
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
  readonly #parts: string[] = [];
  /** Rectangles that were drawn one after the other, as one path for each of their colors. */
  readonly #boxes = new Map<string, string>();
  readonly #ruler = document.createElement("canvas").getContext("2d")!;
  #path: string[] = [];

  beginPath(): void {
    this.#path = [];
  }

  moveTo(x: number, y: number): void {
    this.#path.push(`M${short(x)} ${short(y)}`);
  }

  lineTo(x: number, y: number): void {
    this.#path.push(`${this.#path.length === 0 ? "M" : "L"}${short(x)} ${short(y)}`);
  }

  /** Whole circles only. */
  arc(x: number, y: number, radius: number): void {
    const half = `a${radius} ${radius} 0 1 0`;
    this.#path.push(`M${short(x - radius)} ${short(y)}${half} ${2 * radius} 0${half} ${-2 * radius} 0`);
  }

  fill(): void {
    this.#add(`<path d="${this.#path.join("")}" fill="${String(this.fillStyle)}"/>`);
  }

  stroke(): void {
    this.#add(
      `<path d="${this.#path.join("")}" fill="none" stroke="${String(this.strokeStyle)}" stroke-width="${this.lineWidth}" stroke-linejoin="round"/>`,
    );
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const fill = String(this.fillStyle);
    const box = `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`;
    this.#boxes.set(fill, (this.#boxes.get(fill) ?? "") + box);
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = ANCHORS[this.textAlign];
    const at = `x="${short(x)}" y="${short(y + (BASELINES[this.textBaseline] ?? 0))}"${anchor ? ` text-anchor="${anchor}"` : ""}`;
    this.#add(
      `<text ${at} font-family="Inter, system-ui, sans-serif" font-size="11" fill="${String(this.fillStyle)}">${escapeXml(text)}</text>`,
    );
  }

  measureText(text: string): TextMetrics {
    this.#ruler.font = this.font;
    return this.#ruler.measureText(text);
  }

  /** What was drawn, without a frame. */
  body(): string {
    this.#add("");
    return this.#parts.join("");
  }

  #add(element: string): void {
    for (const [fill, path] of this.#boxes) this.#parts.push(`<path d="${path}" fill="${fill}" shape-rendering="crispEdges"/>`);
    this.#boxes.clear();
    this.#parts.push(element);
  }

  /** A standalone SVG with a title. */
  svg(size: { width: number; height: number }, title: string, ink: { paper: string; text: string }): string {
    const { width, height } = size;
    const heading = `<text x="12" y="-9" font-family="Inter, system-ui, sans-serif" font-size="13" font-weight="600" fill="${ink.text}">${escapeXml(title)}</text>`;
    const frame = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + 28}" viewBox="0 -28 ${width} ${height + 28}">`;
    return `${frame}<rect y="-28" width="100%" height="100%" fill="${ink.paper}"/>${heading}${this.body()}</svg>\n`;
  }
}

export function segment(pen: Pen, fromX: number, fromY: number, toX: number, toY: number): void {
  pen.moveTo(fromX, fromY);
  pen.lineTo(toX, toY);
}

/** Aligns a line of one pixel with the pixel grid. */
export function crisp(pixel: number): number {
  return Math.round(pixel) + 0.5;
}

function short(pixel: number): string {
  return String(Math.round(pixel * 100) / 100);
}

// SPDX-License-Identifier: Apache-2.0
import { pixel } from "../../core/layout/vectorDrawing";
import { escapeXml } from "../../core/text/escapeXml";
import { labelWidth } from "./labelWidth";
import { baselineOf, copyOf, fontOf, PaintState } from "./paintState";
import type { Size } from "./plotFrame";
import type { Surface } from "./surface";

const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: "middle", right: "end" };

/**
 * A canvas context that writes SVG: places on a tenth of a pixel, and neighboring elements of one look together. Colors
 * are written as they are given, so tokens follow the theme of the page.
 */
export class SvgContext extends PaintState implements Surface {
  readonly #measure: (text: string) => number;
  readonly #saved: { state: PaintState; dash: readonly number[]; close: string }[] = [];
  /** Rectangles painted one after the other, as one path for each look. */
  readonly #boxes = new Map<string, string>();
  /** Texts painted one after the other in one look. */
  #texts = { look: "", elements: "" };
  #body = "";
  /** Ends of the elements that were opened since the last save. */
  #close = "";
  #dash: readonly number[] = [];
  #path = "";
  /** Where the next line begins; "" where the last one ended. */
  #move = "";
  /** The path again, as centers of equal circles; null when it holds anything else. */
  #circles: { centers: string; radius: number } | null = null;
  #box = { x: 0, y: 0, width: 0, height: 0 };

  /** `measure` returns the width of a label. */
  constructor(measure: (text: string) => number = labelWidth) {
    super();
    this.#measure = measure;
  }

  save(): void {
    this.#saved.push({ state: copyOf(this), dash: this.#dash, close: this.#close });
    this.#close = "";
  }

  restore(): void {
    const saved = this.#saved.pop();
    if (!saved) return;
    this.#add(this.#close);
    this.#close = saved.close;
    this.#dash = saved.dash;
    Object.assign(this, saved.state);
  }

  translate(x: number, y: number): void {
    this.#enclose(`<g transform="translate(${pixel(x)} ${pixel(y)})">`, "</g>");
  }

  rotate(angle: number): void {
    this.#enclose(`<g transform="rotate(${pixel((angle * 180) / Math.PI)})">`, "</g>");
  }

  /** An SVG inside of the SVG cuts what reaches beyond the last rectangle, without a name that must be unique in a page. */
  clip(): void {
    const [x, y, width, height] = [this.#box.x, this.#box.y, this.#box.width, this.#box.height].map(pixel);
    this.#enclose(
      `<svg aria-hidden="true" x="${x}" y="${y}" width="${width}" height="${height}" viewBox="${x} ${y} ${width} ${height}">`,
      "</svg>",
    );
  }

  setLineDash(lengths: readonly number[]): void {
    this.#dash = lengths;
  }

  beginPath(): void {
    this.#path = this.#move = "";
    this.#circles = null;
  }

  moveTo(x: number, y: number): void {
    this.#move = `M${pixel(x)} ${pixel(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#circles = null;
    const isFirst = this.#path === "" && this.#move === "";
    this.#path += `${this.#move}${isFirst ? "M" : "L"}${pixel(x)} ${pixel(y)}`;
    this.#move = "";
  }

  closePath(): void {
    this.#path += "Z";
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#circles = null;
    this.#box = { x, y, width, height };
    this.#path += box(x, y, width, height);
  }

  /** Whole circles only. */
  arc(x: number, y: number, radius: number): void {
    const isAlike = this.#path === "" || this.#circles?.radius === radius;
    this.#circles = isAlike ? { centers: `${this.#circles?.centers ?? ""}M${pixel(x)} ${pixel(y)}h0`, radius } : null;
    const half = `a${radius} ${radius} 0 1 0`;
    this.#path += `M${pixel(x - radius)} ${pixel(y)}${half} ${2 * radius} 0${half} ${-2 * radius} 0`;
  }

  /** Equal circles become round caps of no length, which is shorter. */
  fill(): void {
    if (this.#path === "") return;
    const [color, opacity] = [String(this.fillStyle), this.#opacity()];
    if (this.#circles) {
      const { centers, radius } = this.#circles;
      this.#add(
        `<path d="${centers}" stroke="${color}" stroke-width="${2 * radius}" stroke-linecap="round"${attribute("stroke-opacity", opacity)}/>`,
      );
    } else this.#add(`<path d="${this.#path}" fill="${color}"${attribute("fill-opacity", opacity)}/>`);
  }

  stroke(): void {
    if (this.#path !== "") this.#add(`<path d="${this.#path}" fill="none"${this.#strokeLook()}/>`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    if (this.#texts.elements !== "") this.#add("");
    const look = `fill="${String(this.fillStyle)}"${attribute("fill-opacity", this.#opacity())}`;
    this.#boxes.set(look, (this.#boxes.get(look) ?? "") + box(x, y, width, height));
  }

  fillText(text: string, x: number, y: number): void {
    this.#addText(text, x, y, `fill="${String(this.fillStyle)}"${attribute("fill-opacity", this.#opacity())}`);
  }

  strokeText(text: string, x: number, y: number): void {
    this.#addText(text, x, y, `fill="none"${this.#strokeLook()}`);
  }

  measureText(text: string): { width: number } {
    return { width: this.#measure(text) };
  }

  /** What was painted, without a frame. */
  body(): string {
    this.#add("");
    return this.#body;
  }

  /** What was painted as a file. */
  file({ width, height }: Size): string {
    const frame = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${frame} font-family="Inter, system-ui, sans-serif" font-size="11">${this.body()}</svg>\n`;
  }

  #addText(text: string, x: number, y: number, look: string): void {
    const { weight, size } = fontOf(this);
    const font = attribute("font-size", size === "11" ? undefined : size) + attribute("font-weight", weight);
    const anchor = attribute("text-anchor", ANCHORS[this.textAlign]);
    const place = `x="${pixel(x)}" y="${pixel(y + baselineOf(this))}"`;
    const whole = `${look}${anchor}${font}`;
    if (this.#boxes.size > 0 || this.#texts.look !== whole) this.#add("");
    this.#texts = { look: whole, elements: `${this.#texts.elements}<text ${place}>${escapeXml(text)}</text>` };
  }

  #strokeLook(): string {
    return (
      ` stroke="${String(this.strokeStyle)}"` +
      attribute("stroke-width", this.lineWidth === 1 ? undefined : this.lineWidth) +
      attribute("stroke-opacity", this.#opacity()) +
      attribute("stroke-dasharray", this.#dash.length === 0 ? undefined : this.#dash.join(" ")) +
      attribute("stroke-linejoin", this.lineJoin === "miter" ? undefined : this.lineJoin) +
      attribute("stroke-linecap", this.lineCap === "butt" ? undefined : this.lineCap)
    );
  }

  #opacity(): number | undefined {
    return this.globalAlpha === 1 ? undefined : Number(this.globalAlpha.toPrecision(3));
  }

  #enclose(open: string, close: string): void {
    this.#add(open);
    this.#close = close + this.#close;
  }

  #add(element: string): void {
    for (const [look, path] of this.#boxes) this.#body += `<path d="${path}" ${look} shape-rendering="crispEdges"/>`;
    this.#boxes.clear();
    if (this.#texts.elements !== "") this.#body += `<g ${this.#texts.look}>${this.#texts.elements}</g>`;
    this.#texts = { look: "", elements: "" };
    this.#body += element;
  }
}

function attribute(name: string, value: string | number | undefined): string {
  return value === undefined ? "" : ` ${name}="${value}"`;
}

function box(x: number, y: number, width: number, height: number): string {
  return `M${pixel(x)} ${pixel(y)}h${pixel(width)}v${pixel(height)}h${pixel(-width)}z`;
}

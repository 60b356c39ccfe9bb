// SPDX-License-Identifier: Apache-2.0
import { baselineOf, copyOf, fontOf, PaintState } from "./paintState";
import type { Surface } from "./surface";
import { decimal } from "./pdfFile";
import type { PdfText } from "./pdfText";

const JOINS: Record<CanvasLineJoin, number> = { miter: 0, round: 1, bevel: 2 };
const CAPS: Record<CanvasLineCap, number> = { butt: 0, round: 1, square: 2 };
/** The handles of four curves that make a circle of radius 1. */
const HANDLE = 0.5523;

/** A canvas context that writes the content of a page of a PDF. Texts of any script are found and copied there. */
export class PdfContext extends PaintState implements Surface {
  readonly #text: PdfText;
  readonly #hex: (color: string) => string;
  readonly #saved: { state: PaintState; dash: readonly number[] }[] = [];
  /** Names of the states of opacity, by opacity. */
  readonly opacities = new Map<number, string>();
  #dash: readonly number[] = [];
  #path = "";
  #body = "";

  /** `hex` returns a color as #rrggbb. */
  constructor(text: PdfText, hex: (color: string) => string) {
    super();
    this.#text = text;
    this.#hex = hex;
  }

  save(): void {
    this.#saved.push({ state: copyOf(this), dash: this.#dash });
    this.#body += "q\n";
  }

  restore(): void {
    const saved = this.#saved.pop();
    if (!saved) return;
    this.#body += "Q\n";
    this.#dash = saved.dash;
    Object.assign(this, saved.state);
  }

  translate(x: number, y: number): void {
    this.#body += `1 0 0 1 ${decimal(x)} ${decimal(y)} cm\n`;
  }

  rotate(angle: number): void {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)].map(decimal);
    this.#body += `${cos} ${sin} ${decimal(-Math.sin(angle))} ${cos} 0 0 cm\n`;
  }

  clip(): void {
    this.#body += `${this.#path}W n\n`;
  }

  setLineDash(lengths: readonly number[]): void {
    this.#dash = lengths;
  }

  beginPath(): void {
    this.#path = "";
  }

  moveTo(x: number, y: number): void {
    this.#path += `${decimal(x)} ${decimal(y)} m\n`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `${decimal(x)} ${decimal(y)} ${this.#path === "" ? "m" : "l"}\n`;
  }

  closePath(): void {
    if (this.#path !== "") this.#path += "h\n";
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path += `${[x, y, width, height].map(decimal).join(" ")} re\n`;
  }

  /** Whole circles only. */
  arc(x: number, y: number, radius: number): void {
    const at = (across: number, down: number): string => `${decimal(x + across * radius)} ${decimal(y + down * radius)} `;
    const quarter = ([a, b]: readonly [number, number], [c, d]: readonly [number, number]): string =>
      `${at(a + HANDLE * c, b + HANDLE * d)}${at(c + HANDLE * a, d + HANDLE * b)}${at(c, d)}c\n`;
    const corners = [[1, 0], [0, 1], [-1, 0], [0, -1], [1, 0]] as const; // prettier-ignore
    this.#path += `${at(1, 0)}m\n${corners.slice(1).map((corner, index) => quarter(corners[index]!, corner)).join("")}h\n`; // prettier-ignore
  }

  fill(): void {
    if (this.#path !== "") this.#body += `${this.#opacity()}${this.#color(this.fillStyle, "rg")}${this.#path}f\n`;
  }

  stroke(): void {
    if (this.#path !== "") this.#body += `${this.#opacity()}${this.#strokeLook()}${this.#path}S\n`;
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const rect = [x, y, width, height].map(decimal).join(" ");
    this.#body += `${this.#opacity()}${this.#color(this.fillStyle, "rg")}${rect} re f\n`;
  }

  fillText(text: string, x: number, y: number): void {
    this.#addText(text, x, y, this.#color(this.fillStyle, "rg"), 0);
  }

  strokeText(text: string, x: number, y: number): void {
    this.#addText(text, x, y, this.#strokeLook(), 1);
  }

  measureText(text: string): { width: number } {
    return { width: this.#text.widthOf(text, this.#font()) };
  }

  body(): string {
    return this.#body + "Q\n".repeat(this.#saved.length);
  }

  #font(): { weight: number; size: number } {
    const { weight = "400", size = "11" } = fontOf(this);
    return { weight: Number(weight), size: Number(size) };
  }

  #addText(text: string, x: number, y: number, look: string, mode: 0 | 1): void {
    const font = this.#font();
    const width = this.textAlign === "left" || this.textAlign === "start" ? 0 : this.#text.widthOf(text, font);
    const left = x - (this.textAlign === "center" ? width / 2 : width);
    this.#body += `q\n${this.#opacity()}${look}${this.#text.written(text, left, y + baselineOf(this), font, mode, this.#rgb(this.fillStyle))}Q\n`;
  }

  #strokeLook(): string {
    const { lineWidth, lineJoin, lineCap } = this;
    const dash = `[${this.#dash.map(decimal).join(" ")}] 0 d`;
    return `${this.#color(this.strokeStyle, "RG")}${decimal(lineWidth)} w ${JOINS[lineJoin]} j ${CAPS[lineCap]} J ${dash}\n`;
  }

  #rgb(style: PaintState["fillStyle"]): readonly number[] {
    return [1, 3, 5].map((at) => parseInt(this.#hex(String(style)).slice(at, at + 2), 16) / 255);
  }

  #color(style: PaintState["fillStyle"], operator: "rg" | "RG"): string {
    return `${this.#rgb(style).map(decimal).join(" ")} ${operator}\n`;
  }

  #opacity(): string {
    const opacity = Number(this.globalAlpha.toPrecision(3));
    const name = this.opacities.get(opacity) ?? `A${this.opacities.size}`;
    this.opacities.set(opacity, name);
    return `/${name} gs\n`;
  }
}

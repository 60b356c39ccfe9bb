// SPDX-License-Identifier: Apache-2.0
import { hexToRgb } from "../../core/scales/colorMap";
import { cellSize, type ColorRange, type Heat } from "../../core/series/heat";
import { heatCanvas } from "./heatCanvas";
import { ThemeColors, watchTheme } from "../frame/themeColors";

export interface CellPlace {
  row: number;
  column: number;
}

/** A heat map on a canvas: every cell one rectangle of one color. */
export class HeatPlot {
  readonly canvas = document.createElement("canvas");
  readonly themeColors: ThemeColors;
  readonly #unwatch: () => void;
  #heat: Heat | null = null;
  #range: ColorRange | null = null;
  #room = { width: 0, height: 0 };
  #cell = { width: 1, height: 1 };

  constructor(host: HTMLElement) {
    host.append(this.canvas);
    this.themeColors = new ThemeColors(host);
    this.#unwatch = watchTheme(() => {
      this.themeColors.forget();
      this.#paint();
    });
  }

  /** `range` is the numbers at the ends of the color scale. */
  show(heat: Heat | null, range: ColorRange | null, room: { width: number; height: number }): void {
    this.#heat = heat;
    this.#range = range;
    this.#room = room;
    this.#paint();
  }

  /** The cell at a point of the canvas in CSS pixels. */
  cellAt(x: number, y: number): CellPlace | null {
    const [rows, columns] = this.#heat?.cells ?? [0, 0];
    const [row, column] = [Math.floor(y / this.#cell.height), Math.floor(x / this.#cell.width)];
    return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null;
  }

  /** The middle of a cell in CSS pixels. */
  centerOf({ row, column }: CellPlace): { x: number; y: number } {
    return { x: (column + 0.5) * this.#cell.width, y: (row + 0.5) * this.#cell.height };
  }

  /** What is drawn, its size on the screen, and a picture of one pixel a cell; null without cells. */
  drawn(): { heat: Heat; range: ColorRange | null; width: number; height: number; cells: string } | null {
    const heat = this.#heat;
    if (!heat || this.canvas.width === 0) return null;
    const [rows, columns] = heat.cells;
    return {
      heat,
      range: this.#range,
      width: this.#cell.width * columns,
      height: this.#cell.height * rows,
      cells: this.#cells(heat).toDataURL(),
    };
  }

  destroy(): void {
    this.#unwatch();
    this.themeColors.remove();
    this.canvas.remove();
  }

  #paint(): void {
    const heat = this.#heat;
    const { width, height } = this.#room;
    const [rows, columns] = heat?.cells ?? [0, 0];
    if (!heat || rows === 0 || columns === 0 || width <= 0 || height <= 0) {
      this.canvas.width = 0;
      return;
    }
    this.#cell = cellSize(heat, this.#room);
    const shown = { width: this.#cell.width * columns, height: this.#cell.height * rows };
    this.canvas.width = Math.round(shown.width * devicePixelRatio);
    this.canvas.height = Math.round(shown.height * devicePixelRatio);
    this.canvas.style.width = `${shown.width}px`;
    this.canvas.style.height = `${shown.height}px`;
    const ctx = this.canvas.getContext("2d")!;
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(this.#cells(heat), 0, 0, this.canvas.width, this.canvas.height);
  }

  /** One pixel a cell. */
  #cells(heat: Heat): HTMLCanvasElement {
    return heatCanvas(heat, this.#range, (color) => hexToRgb(this.themeColors.hex(color)));
  }
}

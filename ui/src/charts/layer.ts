// SPDX-License-Identifier: Apache-2.0
import type uPlot from "uplot";

import { PaintTask, schedule } from "./paintQueue";

/** A canvas over the one of uPlot. What is being painted is shown when it is complete, so that nothing flickers. */
export class Layer {
  readonly canvas = document.createElement("canvas");
  readonly #buffer = document.createElement("canvas");
  /** Drawn at once, not recorded for later: only then do the steps take the time that they take. */
  readonly #ctx = this.#buffer.getContext("2d", { willReadFrequently: true })!;
  readonly #plot: uPlot;
  #task: PaintTask | null = null;

  constructor(plot: uPlot) {
    this.#plot = plot;
    this.canvas.className = "layer";
    plot.over.before(this.canvas);
  }

  paint(steps: (ctx: CanvasRenderingContext2D) => Iterator<void>): void {
    this.#task?.cancel();
    const { width, height } = this.#plot.ctx.canvas;
    this.#buffer.width = width;
    this.#buffer.height = height;
    this.#task = new PaintTask(steps(this.#ctx), () => this.#present());
    schedule(this.#task);
  }

  /** Completes what is being painted, for a picture of it. */
  finish(): void {
    this.#task?.work(Infinity);
  }

  clear(): void {
    this.#task?.cancel();
    this.canvas.width = 0;
  }

  destroy(): void {
    this.clear();
    this.#buffer.width = 0;
    this.canvas.remove();
  }

  #present(): void {
    const { width, height } = this.#buffer;
    this.canvas.width = width;
    this.canvas.height = height;
    if (width > 0 && height > 0) this.canvas.getContext("2d")!.drawImage(this.#buffer, 0, 0);
  }
}

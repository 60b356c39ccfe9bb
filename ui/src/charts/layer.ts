// SPDX-License-Identifier: Apache-2.0
import type uPlot from "uplot";

import { PaintTask, schedule } from "./paintQueue";

/** A canvas over the one of uPlot. What is being painted changes places with what is shown when it is complete. */
export class Layer {
  #front: HTMLCanvasElement;
  #back: HTMLCanvasElement;
  readonly #plot: uPlot;
  #task: PaintTask | null = null;

  constructor(plot: uPlot) {
    this.#plot = plot;
    this.#front = canvasBefore(plot.over);
    this.#back = canvasBefore(plot.over);
    this.#back.style.visibility = "hidden";
  }

  /** What is shown. */
  get canvas(): HTMLCanvasElement {
    return this.#front;
  }

  paint(steps: (ctx: CanvasRenderingContext2D) => Iterator<void>): void {
    this.#task?.cancel();
    const { width, height } = this.#plot.ctx.canvas;
    this.#back.width = width;
    this.#back.height = height;
    // Drawn at once, not recorded for later: only then do the steps take the time that they take.
    this.#task = new PaintTask(steps(this.#back.getContext("2d", { willReadFrequently: true })!), () => this.#present());
    schedule(this.#task);
  }

  /** Completes what is being painted, for a picture of it. */
  finish(): void {
    this.#task?.work(Infinity);
  }

  clear(): void {
    this.#task?.cancel();
    if (this.#front.width > 0) this.#front.width = 0;
  }

  destroy(): void {
    this.#task?.cancel();
    for (const canvas of [this.#front, this.#back]) {
      canvas.width = 0;
      canvas.remove();
    }
  }

  #present(): void {
    [this.#front, this.#back] = [this.#back, this.#front];
    this.#front.style.visibility = "";
    this.#back.style.visibility = "hidden";
  }
}

function canvasBefore(over: HTMLElement): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.className = "layer";
  canvas.width = 0;
  over.before(canvas);
  return canvas;
}

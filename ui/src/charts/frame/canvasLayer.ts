// SPDX-License-Identifier: Apache-2.0
import { PaintTask, schedule } from "./paintQueue";
import type { Size } from "./plotFrame";

/** Canvases of charts that have left: to make one costs more than to draw on it. */
const spare: HTMLCanvasElement[] = [];
const SPARES = 24;

/** A canvas that fills its host. What is being painted takes the place of what is shown when it is complete. */
export class CanvasLayer {
  readonly #before: Element;
  #shown: HTMLCanvasElement | null = null;
  #task: PaintTask | null = null;

  /** Inserted before `before`, in the same host. */
  constructor(before: Element) {
    this.#before = before;
  }

  /** The context is scaled so that its unit is a CSS pixel. */
  paint({ width, height }: Size, steps: (ctx: CanvasRenderingContext2D) => Iterator<void>): void {
    this.#task?.cancel();
    const canvas = emptyCanvas(Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio));
    const ctx = canvas.getContext("2d", { willReadFrequently: true })!;
    ctx.scale(devicePixelRatio, devicePixelRatio);
    this.#task = new PaintTask(steps(ctx), () => this.#present(canvas));
    schedule(this.#task);
  }

  clear(): void {
    this.#task?.cancel();
    this.#task = null;
    this.#present(null);
  }

  /** One canvas is all that is ever kept: charts are many, and so would be the pixels of a second one. */
  #present(canvas: HTMLCanvasElement | null): void {
    if (canvas) this.#before.before(canvas);
    if (this.#shown) {
      this.#shown.remove();
      if (spare.length < SPARES) spare.push(this.#shown);
    }
    this.#shown = canvas;
  }
}

function emptyCanvas(width: number, height: number): HTMLCanvasElement {
  const canvas = spare.pop() ?? document.createElement("canvas");
  if (canvas.width === width && canvas.height === height) canvas.getContext("2d")!.reset();
  else {
    canvas.className = "layer";
    canvas.width = width;
    canvas.height = height;
  }
  return canvas;
}

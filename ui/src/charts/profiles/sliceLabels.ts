// SPDX-License-Identifier: Apache-2.0
import type { Surface } from "../frame/surface";

type Measure = Pick<Surface, "font" | "measureText">;

const ELLIPSIS = "…";

/** Texts of slices cut to their widths. Widths are measured once for each letter: `measureText` for each slice would take the frame. */
export class SliceLabels {
  readonly #widths = new Map<string, number>();
  #font = "";

  /** The text as far as it fits into `room`, in CSS pixels; empty where not even two letters do. */
  fit(ctx: Measure, text: string, room: number): string {
    if (ctx.font !== this.#font) {
      this.#widths.clear();
      this.#font = ctx.font;
    }
    let width = 0;
    let cut = 0;
    const tail = this.#width(ctx, ELLIPSIS);
    for (let place = 0; place < text.length; place++) {
      width += this.#width(ctx, text[place]!);
      if (width > room) return cut < 2 ? "" : text.slice(0, cut) + ELLIPSIS;
      if (width + tail <= room) cut = place + 1;
    }
    return text;
  }

  #width(ctx: Measure, letter: string): number {
    let width = this.#widths.get(letter);
    if (width === undefined) {
      width = ctx.measureText(letter).width;
      this.#widths.set(letter, width);
    }
    return width;
  }
}

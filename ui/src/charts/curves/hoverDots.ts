// SPDX-License-Identifier: Apache-2.0
export interface Dot {
  left: number;
  top: number;
  color: string;
}

/** Discs on the rows under the cursor, as elements over the canvas: moving them costs no redraw. */
export class HoverDots {
  readonly #layer: HTMLElement;
  readonly #dots: HTMLElement[] = [];

  constructor(over: HTMLElement) {
    this.#layer = document.createElement("div");
    this.#layer.className = "hover-dots";
    over.append(this.#layer);
  }

  /** The last of them lies on top. */
  show(dots: readonly Dot[]): void {
    while (this.#dots.length < dots.length) {
      const dot = document.createElement("i");
      this.#layer.append(dot);
      this.#dots.push(dot);
    }
    this.#dots.forEach((element, index) => {
      const dot = dots[index];
      element.hidden = !dot;
      if (!dot) return;
      element.style.background = dot.color;
      element.style.transform = `translate(${dot.left}px, ${dot.top}px)`;
    });
  }
}

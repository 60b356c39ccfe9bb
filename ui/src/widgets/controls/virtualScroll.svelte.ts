// SPDX-License-Identifier: Apache-2.0
import { isScaled, lastRow, rowAtTop, rowsAt, topOfRow, type RowScale } from "../../core/layout/scrollScale";

/** The part of an element that is scrolled into sight, in CSS pixels. */
export class ScrolledView {
  top = $state(0);
  left = $state(0);
  width = $state(0);
  height = $state(0);
  element: HTMLElement | null = null;
  readonly #stride: number;
  readonly #onscroll: () => void;

  /** `top` changes in steps of `stride` pixels, so that what depends on it is computed less often. */
  constructor(stride = 1, onscroll = (): void => undefined) {
    this.#stride = stride;
    this.#onscroll = onscroll;
  }

  readonly attach = (element: HTMLElement): (() => void) => {
    const measure = (): void => void ([this.width, this.height] = [element.clientWidth, element.clientHeight]);
    const scrolled = (): void => {
      this.top = Math.floor(element.scrollTop / this.#stride) * this.#stride;
      this.left = element.scrollLeft;
      this.#onscroll();
    };
    const observer = new ResizeObserver(measure);
    this.element = element;
    measure();
    observer.observe(element);
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", scrolled);
      this.element = null;
    };
  };
}

interface Rows {
  count: number;
  /** Height of a row in CSS pixels. */
  size: number;
  /** Rows above and below those in sight that are elements too. */
  spare?: number;
  /** Height of a head that covers the upper edge of the viewport. */
  head?: number;
}

/** Rows of equal height, any number of them, of which only those in sight are elements. */
export class VirtualScroll {
  /** The row at the upper edge, with a fraction; exact also where a pixel of the scroll bar means many rows. */
  row = $state(0);
  readonly view = new ScrolledView(1, () => this.#scrolled());
  readonly #rows: () => Rows;
  readonly #onmove: (isUp: boolean) => void;
  readonly #scale = $derived.by<RowScale>(() => {
    const { count, size, head = 0 } = this.#rows();
    return { count, size, height: Math.max(0, this.view.height - head) };
  });
  readonly #isScaled = $derived.by(() => isScaled(this.#scale));
  /** The rows that are elements, how high all of them are, and where the first one begins. */
  readonly window = $derived.by(() => rowsAt(this.#scale, this.row, this.#rows().spare ?? 8));
  /** The row at the upper edge at the end. */
  readonly last = $derived.by(() => lastRow(this.#scale));

  /** `onmove` is called when a person scrolls. */
  constructor(rows: () => Rows, onmove: (isUp: boolean) => void = () => undefined) {
    this.#rows = rows;
    this.#onmove = onmove;
  }

  readonly attach = (element: HTMLElement): (() => void) => {
    // only then, because the browser waits for a listener that may prevent scrolling
    $effect(() => {
      if (!this.#isScaled) return;
      const wheeled = (event: WheelEvent): void => this.#wheeled(event);
      element.addEventListener("wheel", wheeled, { passive: false });
      return () => element.removeEventListener("wheel", wheeled);
    });
    return this.view.attach(element);
  };

  /** Scrolls until `row` is at the upper edge, as far as there are rows. */
  go(row: number): void {
    this.row = Math.min(Math.max(0, row), this.last);
    if (this.view.element) this.view.element.scrollTop = topOfRow(this.#scale, this.row);
  }

  #scrolled(): void {
    const moved = this.view.element!.scrollTop - topOfRow(this.#scale, this.row);
    if (Math.abs(moved) < (this.#isScaled ? 1.5 : 0.5)) return;
    this.row = rowAtTop(this.#scale, this.view.element!.scrollTop);
    this.#onmove(moved < 0);
  }

  /** Where a pixel of the scroll bar means many rows, the wheel still moves by pixels of the rows. */
  #wheeled(event: WheelEvent): void {
    if (event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    this.#onmove(event.deltaY < 0);
    this.go(this.row + event.deltaY / this.#scale.size);
  }
}

const STOPS = "button, input, a[href]";

/** Up and down move the focus from a control of a row to the same one of the next row: the rows around those in sight are elements. */
export function stepThroughRows(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (move === undefined || event.defaultPrevented || !(event.target instanceof HTMLElement)) return;
  const rows = [...event.currentTarget.children];
  const row = rows.findIndex((other) => other.contains(event.target as Node));
  const index = stopsOf(rows[row]).indexOf(event.target);
  const stops = stopsOf(rows[row + move]);
  if (index < 0 || stops.length === 0) return;
  event.preventDefault();
  stops[Math.min(index, stops.length - 1)]!.focus();
}

function stopsOf(row: Element | undefined): HTMLElement[] {
  return row ? [...row.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => !stop.closest("[popover]")) : [];
}

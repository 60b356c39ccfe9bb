// SPDX-License-Identifier: Apache-2.0
import type { Point } from "../../core/series/histogramLayout";

/** A drag that is shorter in every direction is a click, in CSS pixels. */
const DRAGS = 4;
const TURN = 0.003;
const LINE = 16;
const MOST_TURN = 160;

export interface TimelineGestureOptions {
  /** Null when the pointer left. */
  onhover: (point: Point | null, event: PointerEvent | null) => void;
  onclick: (point: Point) => void;
  ondoubleclick: (point: Point) => void;
  /** Moved while pressed, by pixels since the last time. */
  onpan: (x: number, y: number) => void;
  /** Dragged with Shift: a box from one corner to the other. */
  onbox: (from: Point, to: Point, isOver: boolean) => void;
  /** The wheel with Ctrl or Cmd, or two fingers: by how much the shown range changes, around a place. */
  onscale: (factor: number, x: number) => void;
}

/** Mouse, wheel and fingers over the tracks of a timeline. */
export class TimelineGestures {
  readonly #element: HTMLElement;
  readonly #options: TimelineGestureOptions;
  readonly #life = new AbortController();
  #start: Point | null = null;
  #last: Point | null = null;
  #isBox = false;
  #isDrag = false;
  readonly #touches = new Map<number, Point>();

  constructor(element: HTMLElement, options: TimelineGestureOptions) {
    this.#element = element;
    this.#options = options;
    const { signal } = this.#life;
    element.addEventListener("pointerdown", (event) => this.#pressed(event), { signal });
    element.addEventListener("pointermove", (event) => this.#moved(event), { signal });
    element.addEventListener("pointerup", (event) => this.#released(event), { signal });
    element.addEventListener("pointercancel", () => this.#drop(), { signal });
    element.addEventListener("pointerleave", () => options.onhover(null, null), { signal });
    element.addEventListener("dblclick", (event) => options.ondoubleclick(this.#pointOf(event)), { signal });
    element.addEventListener("wheel", (event) => this.#wheeled(event), { signal, passive: false });
  }

  remove(): void {
    this.#life.abort();
  }

  #pressed(event: PointerEvent): void {
    const point = this.#pointOf(event);
    if (event.pointerType === "touch") this.#touches.set(event.pointerId, point);
    if (event.button !== 0) return;
    this.#element.setPointerCapture(event.pointerId);
    [this.#start, this.#last, this.#isBox, this.#isDrag] = [point, point, event.shiftKey, false];
  }

  #moved(event: PointerEvent): void {
    const point = this.#pointOf(event);
    if (this.#touches.size > 1 && this.#touches.has(event.pointerId)) return this.#spread(event.pointerId, point);
    if (!this.#start || !this.#last) return this.#options.onhover(point, event);
    this.#isDrag ||= Math.hypot(point.x - this.#start.x, point.y - this.#start.y) >= DRAGS;
    if (!this.#isDrag) return;
    this.#options.onhover(null, null);
    if (this.#isBox) this.#options.onbox(this.#start, point, false);
    else this.#options.onpan(point.x - this.#last.x, point.y - this.#last.y);
    this.#last = point;
  }

  #released(event: PointerEvent): void {
    const [start, point] = [this.#start, this.#pointOf(event)];
    const [isDrag, isBox] = [this.#isDrag, this.#isBox];
    this.#touches.delete(event.pointerId);
    this.#drop();
    if (start && isDrag && isBox) this.#options.onbox(start, point, true);
    else if (start && !isDrag) this.#options.onclick(point);
  }

  #drop(): void {
    this.#touches.clear();
    [this.#start, this.#last, this.#isDrag] = [null, null, false];
  }

  /** Ctrl zooms, Shift or a sideways turn moves along, everything else scrolls the tracks. */
  #wheeled(event: WheelEvent): void {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const pixels = Math.max(-MOST_TURN, Math.min(MOST_TURN, event.deltaY * unit));
      this.#options.onscale(Math.exp(pixels * TURN), this.#pointOf(event).x);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.#options.onpan(-(event.deltaX || event.deltaY) * unit, 0);
    }
  }

  #spread(id: number, to: Point): void {
    const from = this.#touches.get(id)!;
    const other = [...this.#touches].find(([one]) => one !== id)?.[1];
    this.#touches.set(id, to);
    if (!other) return;
    const [before, after] = [Math.abs(from.x - other.x), Math.abs(to.x - other.x)];
    if (before > 8 && after > 8) this.#options.onscale(before / after, (to.x + other.x) / 2);
  }

  #pointOf(event: MouseEvent): Point {
    const { left, top } = this.#element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }
}

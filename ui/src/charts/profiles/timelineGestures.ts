// SPDX-License-Identifier: Apache-2.0
import type { Point } from "../../core/series/histogramLayout";

/** A drag that is shorter in every direction is a click, in CSS pixels. */
const DRAGS = 4;
const TURN = 0.003;
const LINE = 16;
const MOST_TURN = 160;
/** Fingers that are nearer only move. */
const LEAST_SPREAD = 8;

export interface TimelineGestureOptions {
  /** Null when the pointer left. */
  onhover: (point: Point | null, event: PointerEvent | null) => void;
  onclick: (point: Point) => void;
  ondoubleclick: (point: Point) => void;
  /** Moved while pressed, by pixels since the last time. */
  onpan: (x: number, y: number) => void;
  /** Dragged with Shift: a box from one corner to the other. */
  onbox: (from: Point, to: Point, isOver: boolean) => void;
  /** The system took the pointer, or a second finger came: the box is none. */
  ondrop: () => void;
  /** The wheel with Ctrl or Cmd, or two fingers: by how much the shown range changes, around a place. */
  onscale: (factor: number, x: number) => void;
}

/** How far a wheel turned: by which factor a range changes, or by how many pixels it moves along where `isAlong`. */
export function turnOf(event: WheelEvent): { factor: number; pixels: number; isAlong: boolean } {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE;
  const turn = Math.max(-MOST_TURN, Math.min(MOST_TURN, event.deltaY * unit));
  return {
    factor: Math.exp(turn * TURN),
    pixels: -(event.deltaX || event.deltaY) * unit,
    isAlong: event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY),
  };
}

/** Where in an element the pointer is, in CSS pixels. */
export function pointIn(element: HTMLElement, event: MouseEvent): Point {
  const { left, top } = element.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
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
    element.addEventListener("dblclick", (event) => options.ondoubleclick(pointIn(element, event)), { signal });
    element.addEventListener("wheel", (event) => this.#wheeled(event), { signal, passive: false });
  }

  remove(): void {
    this.#life.abort();
  }

  #pressed(event: PointerEvent): void {
    const point = pointIn(this.#element, event);
    if (event.pointerType === "touch") this.#touches.set(event.pointerId, point);
    if (event.button !== 0) return;
    this.#element.setPointerCapture(event.pointerId);
    if (this.#touches.size > 1) return this.#end(true);
    [this.#start, this.#last, this.#isBox, this.#isDrag] = [point, point, event.shiftKey, false];
  }

  #moved(event: PointerEvent): void {
    const point = pointIn(this.#element, event);
    if (this.#touches.size > 1 && this.#touches.has(event.pointerId)) return this.#spread(event.pointerId, point);
    if (!this.#start || !this.#last) return event.pointerType === "touch" ? undefined : this.#options.onhover(point, event);
    this.#isDrag ||= Math.hypot(point.x - this.#start.x, point.y - this.#start.y) >= DRAGS;
    if (!this.#isDrag) return;
    this.#options.onhover(null, null);
    if (this.#isBox) this.#options.onbox(this.#start, point, false);
    else this.#options.onpan(point.x - this.#last.x, point.y - this.#last.y);
    this.#last = point;
  }

  #released(event: PointerEvent): void {
    const [start, point] = [this.#start, pointIn(this.#element, event)];
    const [isDrag, isBox] = [this.#isDrag, this.#isBox];
    this.#touches.delete(event.pointerId);
    this.#end(false);
    if (start && isDrag && isBox) this.#options.onbox(start, point, true);
    else if (start && !isDrag) this.#options.onclick(point);
  }

  #drop(): void {
    this.#touches.clear();
    this.#end(true);
  }

  #end(isDropped: boolean): void {
    const wasBox = this.#start && this.#isDrag && this.#isBox;
    [this.#start, this.#last, this.#isDrag] = [null, null, false];
    if (isDropped && wasBox) this.#options.ondrop();
  }

  /** Ctrl zooms, Shift or a sideways turn moves along, everything else scrolls the tracks. */
  #wheeled(event: WheelEvent): void {
    const { factor, pixels, isAlong } = turnOf(event);
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && !isAlong) return;
    event.preventDefault();
    if (isZoom) this.#options.onscale(factor, pointIn(this.#element, event).x);
    else this.#options.onpan(pixels, 0);
  }

  /** What is below two fingers stays there: the range changes with their distance, and moves with their middle. */
  #spread(id: number, to: Point): void {
    const from = this.#touches.get(id)!;
    const other = [...this.#touches].find(([one]) => one !== id)?.[1];
    this.#touches.set(id, to);
    if (!other) return;
    const [before, after] = [Math.abs(from.x - other.x), Math.abs(to.x - other.x)];
    this.#options.onpan((to.x - from.x) / 2, (to.y - from.y) / 2);
    if (before > LEAST_SPREAD && after > LEAST_SPREAD) this.#options.onscale(before / after, (to.x + other.x) / 2);
  }
}

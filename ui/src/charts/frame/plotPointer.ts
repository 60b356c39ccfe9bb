// SPDX-License-Identifier: Apache-2.0
import type { Area, Point } from "../../core/series/histogramLayout";

/** A drag shorter than this in every direction is none. */
const DRAGS = 4;
/** A drag shorter than this in one direction, and not in the other, goes over all of that direction. */
const CHOOSES = 16;

/** How far a turn of the wheel by a pixel scales, a line of it in pixels, and the most that one event does. */
const TURN = 0.003;
const LINE = 16;
const MOST_TURN = 120;

export interface PlotPointerOptions {
  /** Position of the cursor in the area; null when it left. */
  onpoint: (point: Point | null) => void;
  /** A box was dragged open, in pixels of the area. */
  onselect: (box: Area) => void;
  /** The wheel was turned with Ctrl or Cmd, or two fingers were spread: by how much the shown width changes, around a place in pixels of the area. */
  onscale: (factor: number, left: number) => void;
  /** Pressed and released at one place; not the further clicks of a double click. */
  onclick: () => void;
  /** With a mouse, the first of its clicks came as a click before. */
  ondoubleclick: () => void;
}

/** The plotting area under the pointer: a cursor line that follows it, and a box that it drags open. */
export class PlotPointer {
  readonly area: HTMLElement;
  readonly #options: PlotPointerOptions;
  readonly #life = new AbortController();
  #cursor: HTMLElement | null = null;
  #box: HTMLElement | null = null;
  #start: Point | null = null;
  /** The last press was released where it began, so that the click after it is none of a drag. */
  #isClick = false;
  /** Places of fingers by their pointers. */
  readonly #touches = new Map<number, Point>();
  /** What the wheel did since the last frame. */
  #turned: { factor: number; left: number } | null = null;
  point: Point | null = null;

  constructor(host: HTMLElement, options: PlotPointerOptions) {
    this.#options = options;
    this.area = document.createElement("div");
    this.area.className = "plot-area";
    this.area.dataset["testid"] = "plot-area";
    host.append(this.area);
    const { signal } = this.#life;
    this.area.addEventListener("pointermove", (event) => this.#moved(event), { signal });
    this.area.addEventListener("pointerleave", () => this.#left(), { signal });
    this.area.addEventListener("pointerdown", (event) => this.#pressed(event), { signal });
    this.area.addEventListener("pointerup", (event) => this.#released(event), { signal });
    this.area.addEventListener("pointercancel", () => this.#cancelled(), { signal });
    this.area.addEventListener("wheel", (event) => this.#wheeled(event), { signal, passive: false });
    this.area.addEventListener("click", ({ detail }) => this.#isClick && detail === 1 && options.onclick(), { signal });
    this.area.addEventListener("dblclick", () => options.ondoubleclick(), { signal });
  }

  place({ left, top, width, height }: Area): void {
    Object.assign(this.area.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  }

  /** Puts the cursor somewhere, as the pointer would; null takes it away. */
  moveTo(point: Point | null): void {
    this.point = point;
    if (point) {
      this.#cursor ??= this.#part("plot-cursor");
      this.#cursor.style.transform = `translateX(${Math.round(point.x)}px)`;
    }
    if (this.#cursor) this.#cursor.hidden = point === null;
    this.#options.onpoint(point);
  }

  /** Removes all listeners. */
  remove(): void {
    this.#life.abort();
    this.area.remove();
  }

  #moved(event: PointerEvent): void {
    const point = this.#pointOf(event);
    if (this.#touches.has(event.pointerId)) this.#spread(event.pointerId, point);
    if (this.#touches.size > 1) return;
    if (this.#start) this.#showBox(this.#boxTo(this.#start, point));
    this.moveTo(point);
  }

  #left(): void {
    if (!this.#start) this.moveTo(null);
  }

  #pressed(event: PointerEvent): void {
    if (event.pointerType === "touch") this.#touches.set(event.pointerId, this.#pointOf(event));
    if (event.button !== 0 || event.pointerType === "touch") return;
    this.area.setPointerCapture(event.pointerId);
    this.#start = this.#pointOf(event);
  }

  #released(event: PointerEvent): void {
    const start = this.#start;
    this.#touches.delete(event.pointerId);
    this.#drop();
    const box = start && this.#boxTo(start, this.#pointOf(event));
    this.#isClick = start !== null && box === null;
    if (box) this.#options.onselect(box);
  }

  /** Without a key the wheel scrolls the page. */
  #wheeled(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE);
    this.#scale(Math.exp(Math.max(-MOST_TURN, Math.min(MOST_TURN, pixels)) * TURN), this.#pointOf(event).x);
  }

  /** One finger of two moved. */
  #spread(id: number, to: Point): void {
    const from = this.#touches.get(id)!;
    this.#touches.set(id, to);
    const other = [...this.#touches].find(([one]) => one !== id)?.[1];
    if (!other) return;
    const [before, after] = [Math.hypot(from.x - other.x, from.y - other.y), Math.hypot(to.x - other.x, to.y - other.y)];
    if (before > 0 && after > 0) this.#scale(before / after, (to.x + other.x) / 2);
  }

  /** Gathers what happens within a frame. */
  #scale(factor: number, left: number): void {
    if (!this.#turned) requestAnimationFrame(() => this.#scaled());
    this.#turned = { factor: (this.#turned?.factor ?? 1) * factor, left };
  }

  #scaled(): void {
    const turned = this.#turned;
    this.#turned = null;
    if (turned && !this.#life.signal.aborted) this.#options.onscale(turned.factor, turned.left);
  }

  #cancelled(): void {
    this.#touches.clear();
    this.#drop();
  }

  #drop(): void {
    this.#start = null;
    this.#showBox(null);
  }

  /** Null while the drag is too short to mean anything. */
  #boxTo(start: Point, end: Point): Area | null {
    const { clientWidth, clientHeight } = this.area;
    const [width, height] = [Math.abs(end.x - start.x), Math.abs(end.y - start.y)];
    if (Math.max(width, height) < DRAGS) return null;
    const isHorizontal = width >= CHOOSES || (height < CHOOSES && width >= height);
    const isUp = height >= CHOOSES || (width < CHOOSES && height > width);
    return {
      left: isHorizontal ? Math.min(start.x, end.x) : 0,
      width: isHorizontal ? width : clientWidth,
      top: isUp ? Math.min(start.y, end.y) : 0,
      height: isUp ? height : clientHeight,
    };
  }

  #showBox(box: Area | null): void {
    if (box) {
      this.#box ??= this.#part("plot-box");
      Object.assign(this.#box.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
    }
    if (this.#box) this.#box.hidden = box === null;
  }

  /** Clamped to the area, also while a drag leaves it. */
  #pointOf(event: MouseEvent): Point {
    const { left, top, width, height } = this.area.getBoundingClientRect();
    return { x: Math.min(width, Math.max(0, event.clientX - left)), y: Math.min(height, Math.max(0, event.clientY - top)) };
  }

  #part(name: string): HTMLElement {
    const part = document.createElement("div");
    part.className = name;
    this.area.append(part);
    return part;
  }
}

// SPDX-License-Identifier: Apache-2.0
import type { Point } from "../../core/series/histogramLayout";
import { MINIMAP_HEIGHT } from "./paintRuler";
import { pointIn, turnOf } from "./timelineGestures";

/** A drag in the axis that is shorter is a click, in CSS pixels. */
const DRAGS = 3;

export interface RulerGestureOptions {
  /** Moved without a button; null when the pointer left. */
  onhover: (point: Point | null, event: PointerEvent | null) => void;
  /** Pressed or dragged in the minimap. */
  oncenter: (x: number) => void;
  /** Dragged in the axis, from left to right. */
  onrange: (left: number, right: number, isOver: boolean) => void;
  onclick: () => void;
  /** The system took the pointer: the dragged range is none. */
  ondrop: () => void;
  onscale: (factor: number, x: number, isMap: boolean) => void;
  onpan: (x: number) => void;
}

/** Mouse, wheel and a finger over the minimap of a timeline and the axis below it. Returns what ends it. */
export function followRuler(element: HTMLElement, options: RulerGestureOptions): () => void {
  const life = new AbortController();
  const { signal } = life;
  let start: { x: number; isMap: boolean } | null = null;
  const drag = ({ x }: Point, isOver: boolean): void => {
    if (!start) return;
    const [left, right] = [Math.min(x, start.x), Math.max(x, start.x)];
    if (start.isMap) options.oncenter(x);
    else if (right - left >= DRAGS) options.onrange(left, right, isOver);
    else if (isOver) options.onclick();
    else options.ondrop();
  };
  const pressed = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    const { x, y } = pointIn(element, event);
    start = { x, isMap: y < MINIMAP_HEIGHT };
    options.onhover(null, null);
    if (start.isMap) options.oncenter(x);
  };
  const moved = (event: PointerEvent): void => {
    const point = pointIn(element, event);
    if (start) drag(point, false);
    else options.onhover(point, event);
  };
  const released = (event: PointerEvent): void => {
    drag(pointIn(element, event), true);
    start = null;
  };
  const dropped = (): void => {
    if (start) options.ondrop();
    start = null;
  };
  const wheeled = (event: WheelEvent): void => {
    event.preventDefault();
    const [{ factor, pixels, isAlong }, { x, y }] = [turnOf(event), pointIn(element, event)];
    if (isAlong && !event.ctrlKey && !event.metaKey) options.onpan(pixels);
    else options.onscale(factor, x, y < MINIMAP_HEIGHT);
  };
  element.addEventListener("pointerdown", pressed, { signal });
  element.addEventListener("pointermove", moved, { signal });
  element.addEventListener("pointerup", released, { signal });
  element.addEventListener("pointercancel", dropped, { signal });
  element.addEventListener("pointerleave", () => options.onhover(null, null), { signal });
  element.addEventListener("wheel", wheeled, { signal, passive: false });
  return () => life.abort();
}

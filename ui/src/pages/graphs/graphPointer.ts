// SPDX-License-Identifier: Apache-2.0
import { hitTest, type Hit } from "../../core/graphs/view/hitTest";
import type { GraphStage } from "./graphStage.svelte";

/** The pointer moved less: it is a click. */
const CLICK_PIXELS = 4;
/** The place of the sign that opens and closes, at the right end of a closed box or header, in units of the picture. */
const SIGN_WIDTH = 28;
const WHEEL_ZOOM = 0.0045;
const LINE_PIXELS = 16;

interface Finger {
  x: number;
  y: number;
}

/** Pan, pinch, click, double click and wheel over a stage. Positions are pixels of the element. */
export class GraphPointer {
  readonly #fingers = new Map<number, Finger>();
  #moved = 0;

  constructor(
    private readonly stage: GraphStage,
    private readonly element: HTMLElement,
  ) {}

  hit(event: MouseEvent): Hit | null {
    const { picture, transform } = this.stage;
    const { x, y } = this.#place(event);
    return picture && hitTest(picture, (x - transform.x) / transform.scale, (y - transform.y) / transform.scale, transform.scale);
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    if (this.#fingers.size === 0) this.#moved = 0;
    this.#fingers.set(event.pointerId, this.#place(event));
  }

  /** Returns whether the pointer drags. */
  move(event: PointerEvent): boolean {
    const last = this.#fingers.get(event.pointerId);
    if (!last) return false;
    const next = this.#place(event);
    this.#moved += Math.hypot(next.x - last.x, next.y - last.y);
    if (this.#fingers.size === 1) {
      if (this.#moved > CLICK_PIXELS) this.stage.pan(next.x - last.x, next.y - last.y);
    } else this.#pinch(event.pointerId, last, next);
    if (this.#moved > CLICK_PIXELS || this.#fingers.size > 1) this.#fingers.set(event.pointerId, next);
    return this.#moved > CLICK_PIXELS;
  }

  up(event: PointerEvent): void {
    const wasDown = this.#fingers.delete(event.pointerId);
    if (wasDown && this.#fingers.size === 0 && this.#moved <= CLICK_PIXELS) this.#click(event);
  }

  cancel(event: PointerEvent): void {
    this.#fingers.delete(event.pointerId);
  }

  doubleClick(event: MouseEvent): void {
    const hit = this.hit(event);
    if (hit?.kind === "box" || hit?.kind === "header") {
      if (this.#isOnSign(event, hit)) return;
      void this.stage.toggle(hit.frame.items.item[hit.box]!);
    }
  }

  wheel(event: WheelEvent): void {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PIXELS : 1;
    const { x, y } = this.#place(event);
    if (event.ctrlKey || event.metaKey) this.stage.zoom(Math.exp(-event.deltaY * unit * WHEEL_ZOOM), x, y);
    else if (event.shiftKey) this.stage.pan(-(event.deltaY + event.deltaX) * unit, 0);
    else this.stage.pan(-event.deltaX * unit, -event.deltaY * unit);
  }

  #click(event: PointerEvent): void {
    const hit = this.hit(event);
    if (hit?.kind === "stub" || hit?.kind === "port") {
      if (hit.item >= 0) void this.stage.goTo(hit.item);
    } else if (hit?.kind === "box" || hit?.kind === "header") {
      const item = hit.frame.items.item[hit.box]!;
      this.stage.select(item);
      if (this.#isOnSign(event, hit)) void this.stage.toggle(item);
    } else this.stage.select(hit && hit.frame.scope > 0 && hit.kind === "inside" ? hit.frame.scope : -1);
  }

  #isOnSign(event: MouseEvent, { frame, box }: { frame: Hit["frame"]; box: number }): boolean {
    const item = frame.items.item[box]!;
    const { transform, tree } = this.stage;
    if (item >= tree.scopeCount) return false;
    const { x } = this.#place(event);
    let left = 0;
    for (let scope = frame; scope.scope !== 0;) {
      const above = this.stage.picture!.frames.get(tree.parent[scope.scope]!)!;
      left += above.layout.boxes.x[above.items.boxOfChild[tree.ordinal[scope.scope]!]!]!;
      scope = above;
    }
    const { boxes } = frame.layout;
    const right = left + boxes.x[box]! + boxes.width[box]!;
    return (x - transform.x) / transform.scale > right - SIGN_WIDTH;
  }

  /** Two fingers: what is under them stays under them. */
  #pinch(id: number, last: Finger, next: Finger): void {
    const other = [...this.#fingers].find(([finger]) => finger !== id)?.[1];
    if (!other) return;
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(next.x - other.x, next.y - other.y);
    if (before > 0 && after > 0) this.stage.zoom(after / before, (next.x + other.x) / 2, (next.y + other.y) / 2);
    this.stage.pan((next.x - last.x) / 2, (next.y - last.y) / 2);
  }

  #place({ clientX, clientY }: MouseEvent): Finger {
    const { left, top } = this.element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }
}

// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../../core/scales/axis";
import { heightWithin, type Curve, type Scaling } from "../../core/series/curve";
import { isLogTag } from "../../core/view/urlState";
import { shownBox, stepBack, tidyBox, UNZOOMED, zoomInto, type Box, type ZoomStack } from "../../core/scales/zoom";
import { address } from "./address.svelte";

/** A step of zooming into a chart. */
export interface ZoomStep {
  /** It changes what is shown of the horizontal axis: linked charts follow. */
  isHorizontal: boolean;
  /** It replaces the step before it, as the next turn of a wheel does. */
  isContinued: boolean;
  /** What the chart showed before, where it followed another one. */
  before: Box | null;
}

const LOCAL: ZoomStep = { isHorizontal: false, isContinued: false, before: null };

/**
 * Zoom history of charts, box within box. The address holds the shown boxes, not the earlier ones. Of linked
 * charts the one that was zoomed last leads: the others show the same of the horizontal axis, and fit their heights to it.
 */
class Zooms {
  #stacks = $state.raw(stacksOfLink());

  of(key: string): ZoomStack {
    return this.#stacks.get(key) ?? UNZOOMED;
  }

  /** What a chart shows of the horizontal axis; null for all of it. */
  xOf(key: string): Range | null {
    return (shownBox(this.of(key)) ?? shownBox(this.of(this.#leaderOf(key) ?? "")))?.x ?? null;
  }

  /** The box that a chart shows: its own, or that of the leading chart with the height of its own curves there. */
  boxOf(key: string, curves: readonly Curve[], scaling: Pick<Scaling, "isLog" | "limits">): Box | null {
    const own = shownBox(this.of(key));
    const x = this.xOf(key);
    return own ?? (x && { x, y: heightWithin(curves, x, scaling) });
  }

  isZoomed(key: string): boolean {
    return this.xOf(key) !== null;
  }

  into(key: string, box: Box, { isHorizontal, isContinued, before }: ZoomStep = LOCAL): void {
    const own = this.of(key);
    const from = own.length === 0 && before ? [before] : own;
    const stack = zoomInto(isContinued ? stepBack(from) : from, tidyBox(box, isLogTag(address.state, key)));
    if (!isHorizontal || !address.state.scalars.isLinked) this.#set(key, stack);
    else this.#show(new Map([[key, stack]]), key);
  }

  back(key: string): void {
    const leader = this.of(key).length > 0 ? key : (this.#leaderOf(key) ?? key);
    this.#set(leader, stepBack(this.of(leader)));
  }

  restore(key: string): void {
    const leader = this.#leaderOf(key);
    if (leader !== null) this.#set(leader, UNZOOMED);
    this.#set(key, UNZOOMED);
  }

  restoreAll(): void {
    this.#show(new Map(), null);
  }

  /** After the browser went back or forward. */
  reread(): void {
    this.#stacks = stacksOfLink();
  }

  /** The chart that another one follows: only over the same horizontal axis. */
  #leaderOf(key: string): string | null {
    const { lead, scalars, axis } = address.state;
    const axisOf = (chart: string): string => scalars.own.get(chart)?.axis ?? (scalars.xTag === null ? axis : "tag");
    return scalars.isLinked && lead !== null && axisOf(lead) === axisOf(key) ? lead : null;
  }

  #set(key: string, stack: ZoomStack): void {
    const stacks = new Map(this.#stacks);
    if (stack.length === 0) stacks.delete(key);
    else stacks.set(key, stack);
    const { lead } = address.state;
    this.#show(stacks, lead !== null && stacks.has(lead) ? lead : null);
  }

  #show(stacks: ReadonlyMap<string, ZoomStack>, lead: string | null): void {
    this.#stacks = stacks;
    address.change({ lead, zooms: new Map([...stacks].map(([key, stack]) => [key, shownBox(stack)!] as const)) });
  }
}

function stacksOfLink(): ReadonlyMap<string, ZoomStack> {
  return new Map([...address.state.zooms].map(([key, box]) => [key, [box]] as const));
}

export const zooms = new Zooms();

// SPDX-License-Identifier: Apache-2.0
import { isLogTag } from "../core/urlState";
import { shownBox, stepBack, tidyBox, UNZOOMED, zoomInto, type Box, type ZoomStack } from "../core/zoom";
import { address } from "./address.svelte";

/** Where charts were zoomed into, box within box. The shown boxes stand in the address, those before them do not. */
class Zooms {
  #stacks = $state.raw(stacksOfLink());

  of(key: string): ZoomStack {
    return this.#stacks.get(key) ?? UNZOOMED;
  }

  into(key: string, box: Box): void {
    this.#set(key, zoomInto(this.of(key), tidyBox(box, isLogTag(address.state, key))));
  }

  back(key: string): void {
    this.#set(key, stepBack(this.of(key)));
  }

  restore(key: string): void {
    this.#set(key, UNZOOMED);
  }

  restoreAll(): void {
    this.#show(new Map());
  }

  /** After the browser went back or forward. */
  reread(): void {
    this.#stacks = stacksOfLink();
  }

  #set(key: string, stack: ZoomStack): void {
    const stacks = new Map(this.#stacks);
    if (stack.length === 0) stacks.delete(key);
    else stacks.set(key, stack);
    this.#show(stacks);
  }

  #show(stacks: ReadonlyMap<string, ZoomStack>): void {
    this.#stacks = stacks;
    address.change({ zooms: new Map([...stacks].map(([key, stack]) => [key, shownBox(stack)!] as const)) });
  }
}

function stacksOfLink(): ReadonlyMap<string, ZoomStack> {
  return new Map([...address.state.zooms].map(([key, box]) => [key, [box]] as const));
}

export const zooms = new Zooms();

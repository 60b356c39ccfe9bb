// SPDX-License-Identifier: Apache-2.0
import { MediaQuery } from "svelte/reactivity";

import { settings } from "./settings.svelte";

/**
 * The sidebar with the runs. In a wide window it is beside the page, and the settings remember whether it is open; in a
 * narrow one it is a drawer over the page, closed at first.
 */
class Side {
  readonly #isNarrow = new MediaQuery("(max-width: 800px)");
  #isDrawerOpen = $state(false);

  get isDrawer(): boolean {
    return this.#isNarrow.current;
  }

  get isOpen(): boolean {
    return this.isDrawer ? this.#isDrawerOpen : settings.isSideOpen;
  }

  toggle(): void {
    if (this.isDrawer) this.#isDrawerOpen = !this.#isDrawerOpen;
    else settings.setSideOpen(!settings.isSideOpen);
  }

  closeDrawer(): void {
    this.#isDrawerOpen = false;
  }
}

export const side = new Side();

// SPDX-License-Identifier: Apache-2.0
import { browserPath, viewerPath } from "../../core/view/root";

/** Path and query of the address bar as state; the path is that of the viewer, without what a proxy puts before it. */
const PAUSE_MS = 80;
/** Keys that walk: what they select on their way is no step in the history. */
const WALKING = /^(Arrow|Page|Home$|End$)/;

class PageLocation {
  path = $state(viewerPath(location.pathname));
  query = $state(location.search.slice(1));
  /** Grows when the browser went back or forward. */
  visits = $state(0);
  /** Reads the state from the query again, before the pages hear of a visit. */
  onread: () => void = () => undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** A person did something since the last step: what the page changes by itself afterwards belongs to that step. */
  #hasActed = true;

  constructor() {
    addEventListener("pagehide", () => this.#write());
    addEventListener("popstate", () => {
      clearTimeout(this.#pause);
      this.#pause = undefined;
      this.#hasActed = false;
      this.#read();
      this.#visit();
    });
    const acted = (): boolean => (this.#hasActed = true);
    addEventListener("pointerdown", acted, { capture: true });
    addEventListener("click", ({ detail }) => detail === 0 && acted(), { capture: true });
    addEventListener("keydown", ({ key, repeat }) => !repeat && !WALKING.test(key) && acted(), { capture: true });
  }

  /** Opens a page; the query stays, because the selection of runs goes from page to page. */
  open(path: string): void {
    if (path === this.path) return;
    this.#write();
    this.#step(this.address(path));
    this.#read();
  }

  /** Opens an address of this viewer with all of its state, as a step in the history or in place of this one. */
  go(address: string, isReplaced = false): void {
    this.#write();
    if (isReplaced) history.replaceState(null, "", browserPath(address));
    else this.#step(address);
    this.#read();
    this.#visit();
  }

  address(path: string): string {
    return this.query === "" ? path : `${path}?${this.query}`;
  }

  /**
   * Writes the state into the address bar; as a step in the history only where a person made the change. Browsers refuse
   * to do so a hundred times in a row: what is no step waits for the next of many.
   */
  describe(query: string, isStep: boolean): void {
    if (query === this.query) return;
    if (isStep && this.#hasActed) {
      this.#write();
      this.query = query;
      this.#step(this.address(this.path));
      return;
    }
    this.query = query;
    if (this.#pause !== undefined) return;
    this.#write();
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#write();
    }, PAUSE_MS);
  }

  /** One action is one step: it may change the view and open another page. */
  #step(address: string): void {
    if (this.#hasActed) history.pushState(null, "", browserPath(address));
    else history.replaceState(null, "", browserPath(address));
    this.#hasActed = false;
  }

  #visit(): void {
    this.onread();
    this.visits++;
  }

  #write(): void {
    const address = browserPath(this.address(this.path));
    if (address !== location.pathname + location.search) history.replaceState(null, "", address);
  }

  #read(): void {
    this.path = viewerPath(location.pathname);
    this.query = location.search.slice(1);
  }
}

export const pageLocation = new PageLocation();

// SPDX-License-Identifier: Apache-2.0
/** Path and query of the address bar as state. */
const PAUSE_MS = 80;

class PageLocation {
  path = $state(location.pathname);
  query = $state(location.search.slice(1));
  /** Grows when the browser went back or forward: the state is then read from the query again. */
  visits = $state(0);
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener("pagehide", () => this.#write());
    addEventListener("popstate", () => {
      clearTimeout(this.#pause);
      this.#pause = undefined;
      this.#read();
      this.visits++;
    });
  }

  /** Opens a page; the query stays, because the selection of runs goes from page to page. */
  open(path: string): void {
    if (path === this.path) return;
    this.#write();
    history.pushState(null, "", this.address(path));
    this.#read();
  }

  /** Opens an address of this viewer with all of its state, as a step in the history or in place of this one. */
  go(address: string, isReplaced = false): void {
    this.#write();
    if (isReplaced) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    this.#read();
    this.visits++;
  }

  address(path: string): string {
    return this.query === "" ? path : `${path}?${this.query}`;
  }

  /** Writes the state into the address bar without a step in the history. Browsers refuse to do so a hundred times in a row: it waits for the next of many. */
  describe(query: string): void {
    if (query === this.query) return;
    this.query = query;
    if (this.#pause !== undefined) return;
    this.#write();
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#write();
    }, PAUSE_MS);
  }

  #write(): void {
    const address = this.address(this.path);
    if (address !== location.pathname + location.search) history.replaceState(null, "", address);
  }

  #read(): void {
    this.path = location.pathname;
    this.query = location.search.slice(1);
  }
}

export const pageLocation = new PageLocation();

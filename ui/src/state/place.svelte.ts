// SPDX-License-Identifier: Apache-2.0
/** Where the person is: path and query of the address bar, as state. */
class Place {
  path = $state(location.pathname);
  query = $state(location.search.slice(1));
  /** Grows when the browser went back or forward: the state is then read from the query again. */
  visits = $state(0);

  constructor() {
    addEventListener("popstate", () => {
      this.#read();
      this.visits++;
    });
  }

  /** Opens a page; the query stays, because the selection of runs goes from page to page. */
  open(path: string): void {
    if (path === this.path) return;
    history.pushState(null, "", this.address(path));
    this.#read();
  }

  address(path: string): string {
    return this.query === "" ? path : `${path}?${this.query}`;
  }

  /** Writes the state into the address bar without a step in the history. */
  describe(query: string): void {
    if (query === this.query) return;
    this.query = query;
    history.replaceState(null, "", this.address(this.path));
  }

  #read(): void {
    this.path = location.pathname;
    this.query = location.search.slice(1);
  }
}

export const place = new Place();

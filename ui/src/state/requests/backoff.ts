// SPDX-License-Identifier: Apache-2.0
const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/** Retries a failed action with exponential back-off. */
export class Backoff {
  readonly #action: () => void;
  #pauseMs = FIRST_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(action: () => void) {
    this.#action = action;
  }

  failed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#action, this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_MS);
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#pauseMs = FIRST_MS;
  }
}

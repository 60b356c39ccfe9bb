// SPDX-License-Identifier: Apache-2.0
import type { components } from "../core/messages/schema";
import { browserPath } from "../core/view/root";

/** Ids of the runs that grew, and whether runs came or went. */
export type Change = components["schemas"]["LiveChange"];

/**
 * `open`: the stream is open; sent again after every reconnection, when anything may have been missed. `lost`: the
 * server is gone, and the stream keeps trying.
 */
export type LiveMessage = { name: "open" | "lost" | "annotations" | "alerts" } | { name: "change"; change: Change };

const RETRY_MS = [500, 1000, 2000, 4000];

/** Reads `/api/live` and reconnects by itself. Runs in a page or in a worker. */
export class EventStream {
  #source: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #isOpen = false;

  constructor(private readonly send: (message: LiveMessage) => void) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Connects now, also while the stream waits for its next attempt. */
  open(): void {
    if (this.#source) return;
    clearTimeout(this.#timer);
    const source = (this.#source = new EventSource(browserPath("/api/live")));
    source.addEventListener("hello", () => {
      this.#failures = 0;
      this.#isOpen = true;
      this.send({ name: "open" });
    });
    source.addEventListener("change", ({ data }: MessageEvent<string>) => {
      this.send({ name: "change", change: JSON.parse(data) as Change });
    });
    source.addEventListener("annotations", () => this.send({ name: "annotations" }));
    source.addEventListener("alerts", () => this.send({ name: "alerts" }));
    source.onerror = () => this.#retry();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
    this.#isOpen = false;
  }

  #retry(): void {
    this.close();
    this.#timer = setTimeout(() => this.open(), RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)]);
    this.send({ name: "lost" });
  }
}

// SPDX-License-Identifier: Apache-2.0
import type { LayoutJob, LayoutProgress } from "../../core/embeddings/layout";

const MOST_KEPT = 6;

/** Layouts that were computed on this page, the last used ones last. */
const kept = new Map<string, LayoutProgress>();

/** Computes layouts in another thread, one at a time. */
export class EmbeddingLayout {
  progress = $state.raw<LayoutProgress | null>(null);
  isRunning = $state(false);
  failure = $state("");
  #worker: Worker | null = null;
  #key = "";

  /** The key of the layout that runs, or that `progress` has. */
  get key(): string {
    return this.#key;
  }

  /** Shows the layout of a key, which a job computes where it is not kept. */
  start(key: string, job: () => LayoutJob): void {
    if (key === this.#key) return;
    this.stop();
    this.#key = key;
    this.failure = "";
    this.progress = kept.get(key) ?? null;
    if (!this.progress) this.#run(key, job());
  }

  /** Computes the layout of the key again. */
  restart(job: () => LayoutJob): void {
    const key = this.#key;
    this.stop();
    kept.delete(key);
    this.failure = "";
    if (key !== "") this.#run(key, job());
  }

  stop(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.isRunning = false;
  }

  /** Stops, and forgets what was shown. */
  clear(): void {
    this.stop();
    this.#key = "";
    this.progress = null;
  }

  #run(key: string, job: LayoutJob): void {
    const worker = new Worker(new URL("./embeddingWorker.ts", import.meta.url), { type: "module", name: "embedding" });
    this.#worker = worker;
    this.isRunning = true;
    worker.addEventListener("message", ({ data }: MessageEvent<LayoutProgress | { error: string }>) => this.#take(key, data));
    worker.addEventListener("error", ({ message }) => this.#take(key, { error: message }));
    worker.postMessage(job);
  }

  #take(key: string, data: LayoutProgress | { error: string }): void {
    if (key !== this.#key) return;
    if ("error" in data) {
      this.failure = data.error;
      this.stop();
      return;
    }
    this.progress = data;
    kept.delete(key);
    kept.set(key, data);
    for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - MOST_KEPT))) kept.delete(oldest);
    if (data.iteration >= data.total) this.stop();
  }
}

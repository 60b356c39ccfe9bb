// SPDX-License-Identifier: Apache-2.0
import { isAbort } from "../../api/client";
import { onChanges } from "./runChanges";
import { problemOf, type Problem } from "./problem";

/** A resource whose query changes: the newest response is kept, an older request is aborted. */
export class Asked<Question, Answer> {
  answer = $state.raw<Answer | null>(null);
  problem = $state.raw<Problem | null>(null);
  isLoading = $state(false);
  readonly #read: (question: Question, signal: AbortSignal) => Promise<Answer>;
  readonly #stop: () => void;
  #question: { value: Question; key: string } | null = null;
  #request: AbortController | null = null;
  /** Runs grew while the request was under way. */
  #isStale = false;

  constructor(read: (question: Question, signal: AbortSignal) => Promise<Answer>) {
    this.#read = read;
    this.#stop = onChanges(() => this.#renew());
  }

  /** Asks, unless this was asked last; the old answer stays until the new one is here. */
  ask(question: Question): void {
    const key = JSON.stringify(question);
    if (key === this.#question?.key) return;
    this.#question = { value: question, key };
    this.#request?.abort();
    void this.#load();
  }

  retry(): void {
    if (this.#question && !this.#request) void this.#load();
  }

  release(): void {
    this.#stop();
    this.#question = null;
    this.#request?.abort();
  }

  #renew(): void {
    if (this.#request) this.#isStale = true;
    else if (this.#question) void this.#load();
  }

  async #load(): Promise<void> {
    const request = new AbortController();
    this.#request = request;
    this.#isStale = false;
    this.isLoading = true;
    try {
      const answer = await this.#read(this.#question!.value, request.signal);
      if (this.#request !== request) return;
      this.answer = answer;
      this.problem = null;
    } catch (error) {
      if (!isAbort(error) && this.#request === request) this.problem = problemOf(error);
    } finally {
      if (this.#request === request) {
        this.#request = null;
        this.isLoading = false;
        if (this.#isStale && this.#question) void this.#load();
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import { isAbort } from "../../api/client";
import { problemOf, type Problem } from "./problem";
import { LruCache } from "./lruCache";

const cache = new LruCache<unknown>(48 * 1024 * 1024);

/** A cached resource that never changes, as its key names one value of a log. */
export class Kept<Question, Answer> {
  answer = $state.raw<Answer | null>(null);
  problem = $state.raw<Problem | null>(null);
  isLoading = $state(false);
  readonly #kind: string;
  readonly #read: (question: Question, signal: AbortSignal) => Promise<Answer>;
  readonly #bytes: (answer: Answer) => number;
  #question: { value: Question; key: string } | null = null;
  #request: AbortController | null = null;

  constructor(
    kind: string,
    read: (question: Question, signal: AbortSignal) => Promise<Answer>,
    bytes: (answer: Answer) => number = () => 1024,
  ) {
    this.#kind = kind;
    this.#read = read;
    this.#bytes = bytes;
  }

  /** Asks, unless this was asked last; the old answer stays until the new one is here. */
  ask(question: Question): void {
    const key = JSON.stringify([this.#kind, question]);
    if (key === this.#question?.key) return;
    this.#question = { value: question, key };
    this.#request?.abort();
    const known = cache.get(key) as Answer | undefined;
    if (known === undefined) void this.#load();
    else this.#take(known);
  }

  retry(): void {
    if (this.#question && !this.#request) void this.#load();
  }

  /** Forgets question and answer; for a value that is no more. */
  release(): void {
    this.#question = null;
    this.#request?.abort();
    this.#request = null;
  }

  #take(answer: Answer): void {
    this.#request = null;
    this.isLoading = false;
    this.answer = answer;
    this.problem = null;
  }

  async #load(): Promise<void> {
    const { value, key } = this.#question!;
    const request = new AbortController();
    this.#request = request;
    this.isLoading = true;
    try {
      const answer = await this.#read(value, request.signal);
      cache.put(key, "", answer, this.#bytes(answer));
      if (this.#request === request) this.#take(answer);
    } catch (error) {
      if (isAbort(error) || this.#request !== request) return;
      this.#request = null;
      this.isLoading = false;
      this.problem = problemOf(error);
    }
  }
}

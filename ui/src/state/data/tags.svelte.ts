// SPDX-License-Identifier: Apache-2.0
import { isAbort } from "../../api/client";
import { fetchTags } from "../../api/routes";
import { compareNames } from "../../core/text/naturalSort";
import { problemOf, type Problem } from "../requests/problem";

/** A tag and the shown runs that hold it. */
export interface TagRuns {
  tag: string;
  runs: readonly string[];
}

/** Tags of one kind in the shown runs, in the order of names. */
export class Tags {
  list = $state.raw<readonly TagRuns[]>([]);
  problem = $state.raw<Problem | null>(null);
  isLoaded = $state(false);
  /** Read again when runs grow; lists that no page shows are not. */
  isUsed = false;
  #runs: readonly string[] = [];
  #request: AbortController | null = null;
  /** The runs grew while a request was under way. */
  #isStale = false;
  readonly kind: string;

  constructor(kind: string) {
    this.kind = kind;
  }

  /** Reads the tags of these runs; an older request that is under way is dropped. */
  async load(runs: readonly string[]): Promise<void> {
    this.#runs = runs;
    this.isUsed = true;
    this.#isStale = false;
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    try {
      const { tags } = runs.length === 0 ? { tags: [] } : await fetchTags(runs, this.kind, request.signal);
      this.list = tags
        .map(({ tag, runs: holders }) => ({ tag, runs: holders.map((index) => runs[index]!) }))
        .sort((one, other) => compareNames(one.tag, other.tag));
      this.problem = null;
      this.isLoaded = true;
    } catch (error) {
      if (!isAbort(error)) this.problem = problemOf(error);
    } finally {
      if (this.#request === request) this.#request = null;
    }
    if (this.#isStale && !this.#request) await this.load(this.#runs);
  }

  /** Reads again what is shown; a request under way is let finish and is followed by another one. */
  async reload(): Promise<void> {
    if (this.#request) this.#isStale = true;
    else await this.load(this.#runs);
  }
}

/** Of scalars: also what the search box finds. */
export const tags = new Tags("scalar");
export const imageTags = new Tags("image");
export const histogramTags = new Tags("histogram");
export const tensorTags = new Tags("tensor");
export const textTags = new Tags("text");
export const audioTags = new Tags("audio");
export const prCurveTags = new Tags("pr_curve");

export const listsOfTags: readonly Tags[] = [tags, imageTags, histogramTags, tensorTags, textTags, audioTags, prCurveTags];

// SPDX-License-Identifier: Apache-2.0
import { askedOutlines, askedTags, type Outlines } from "../../state/data/values.svelte";
import { TAGGED, type TaggedKind } from "./kinds";

/** What the cards of a run need to know before they can show anything. */
export class Overview {
  readonly #lists = new Map(TAGGED.map((kind) => [kind, askedTags(kind)]));
  readonly #outlines = askedOutlines();

  ask(run: string): void {
    for (const list of this.#lists.values()) list.ask(run);
    this.#outlines.ask(run);
  }

  /** The tags of a kind; none while those of another run are still here. */
  tagsOf(run: string, kind: TaggedKind): readonly string[] {
    const answer = this.#lists.get(kind)!.answer;
    return answer?.run === run ? answer.tags : [];
  }

  outlinesOf(run: string): Outlines | null {
    const { answer } = this.#outlines;
    return answer?.run === run ? answer : null;
  }

  get problem(): { what: string; remedy: string } | null {
    const { problem } = this.#outlines;
    return problem && !problem.isUnreachable ? problem : null;
  }

  retry(): void {
    this.#outlines.retry();
  }

  release(): void {
    for (const list of this.#lists.values()) list.release();
    this.#outlines.release();
  }
}

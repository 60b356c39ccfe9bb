// SPDX-License-Identifier: Apache-2.0
import { annotations } from "./annotations.svelte";

interface Draft {
  text: string;
  /** The note when editing began. */
  from: string;
}

/** What is written into the notes of runs and not kept by the server yet. */
class Drafts {
  #all = $state.raw<ReadonlyMap<string, Draft>>(new Map());

  /** Runs whose note another person changed during editing. The draft stays, and is not sent, until the user resolves the conflict. */
  conflicts = $derived([...this.#all.keys()].filter((run) => this.theirs(run) !== null));

  textOf(run: string): string {
    return this.#all.get(run)?.text ?? noteOf(run);
  }

  /** The note that another person saved since this draft began; null for none. */
  theirs(run: string): string | null {
    const draft = this.#all.get(run);
    const note = noteOf(run);
    return draft && note !== draft.from && note !== draft.text ? note : null;
  }

  write(run: string, text: string): void {
    const from = this.#all.get(run)?.from ?? noteOf(run);
    this.#put(run, text === from ? null : { text, from });
  }

  /** Sends the draft unless another person changed the note. Keeps the draft if the request fails. */
  async keep(run: string): Promise<void> {
    const sent = this.#all.get(run);
    if (!sent || this.theirs(run) !== null) return;
    const isKept = await annotations.changeNote(run, sent.from, sent.text);
    const now = this.#all.get(run);
    if (isKept && now) this.#put(run, now.text === sent.text ? null : { text: now.text, from: sent.text });
  }

  /** Ends a conflict with this text, made in the knowledge of what the others wrote. */
  settle(run: string, text: string): void {
    const from = noteOf(run);
    this.#put(run, text === from ? null : { text, from });
    void this.keep(run);
  }

  #put(run: string, draft: Draft | null): void {
    const all = new Map(this.#all);
    if (draft) all.set(run, draft);
    else all.delete(run);
    this.#all = all;
  }
}

function noteOf(run: string): string {
  return annotations.notesOf(run)?.note ?? "";
}

export const drafts = new Drafts();

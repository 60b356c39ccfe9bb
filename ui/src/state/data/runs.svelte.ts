// SPDX-License-Identifier: Apache-2.0
import { fetchServer, get, type Run, type Server, type UnreadablePath } from "../../api/routes";
import { renewed } from "../../core/runs/runList";
import { annotations } from "../annotations/annotations.svelte";
import { problemOf, type Problem } from "../requests/problem";

export type { Run, UnreadablePath };

/** Every run under the base directory, in the order of their names. */
class Runs {
  all = $state.raw<readonly Run[]>([]);
  /** Without the archived ones: what every page offers. */
  list = $derived<readonly Run[]>(this.all.filter(({ id }) => !annotations.notesOf(id)?.archived));
  /** Unreadable paths below the base directory: runs there are in no list. */
  unread = $state.raw<readonly UnreadablePath[]>([]);
  server = $state.raw<Server | null>(null);
  problem = $state.raw<Problem | null>(null);
  /** False until the first answer: an empty list is then not yet an empty directory. */
  isLoaded = $state(false);
  ids = $derived(this.list.map((run) => run.id));
  byId = $derived(new Map(this.all.map((run) => [run.id, run])));

  /** Whether two runs are the same, or ranks of one training. */
  areOneTraining(one: string, other: string): boolean {
    const group = this.byId.get(one)?.rank_of ?? null;
    return one === other || (group !== null && group === this.byId.get(other)?.rank_of);
  }

  /** Cursor of the last response, so that the server sends only changes; null before the first. */
  #cursor: string | null = null;
  /** The request under way. */
  #pending: Promise<void> | null = null;
  /** The request after it, which waits for its end. */
  #next: Promise<void> | null = null;

  /** Reads what is new to the list; calls while a request is under way are answered by one more request after it. */
  load(): Promise<void> {
    if (!this.#pending) {
      this.#pending = this.#read();
      return this.#pending;
    }
    this.#next ??= this.#pending.then(() => {
      this.#next = null;
      return this.load();
    });
    return this.#next;
  }

  async #read(): Promise<void> {
    try {
      const known = this.server;
      const [server, answer] = await Promise.all([known ?? fetchServer(), get("/api/runs", { since: this.#cursor })]);
      if (this.server === known) this.server = server; // else the stream opened again during the request
      this.all = renewed(this.all, answer);
      this.unread = answer.unread ?? this.unread;
      this.#cursor = answer.cursor;
      this.problem = null;
      this.isLoaded = true;
    } catch (error) {
      this.problem = problemOf(error);
    } finally {
      this.#pending = null;
    }
  }
}

export const runs = new Runs();

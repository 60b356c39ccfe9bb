// SPDX-License-Identifier: Apache-2.0
import {
  fetchNotebook,
  newerRecords,
  sendMute,
  sendPin,
  sendRunChanges,
  sendThreshold,
  type Mute,
  type MuteRecord,
  type Pin,
  type PinRecord,
  type Records,
  type RunNotes,
  type Threshold,
  type ThresholdRecord,
} from "../api/notebook";
import type { Reason } from "../core/reason";
import { problemOf, type Problem } from "./problem";

export type { Mute, MuteRecord, Pin, PinRecord, RunNotes, Threshold, ThresholdRecord };

type ByKey<Entry> = ReadonlyMap<string, Entry>;

/** What somebody changes of a run; a field that is absent stays. `colour` null is the given colour. */
export type NotesChange = Partial<Pick<RunNotes, "note" | "tags" | "colour" | "archived">>;

/** What people keep about runs: on the server, for everybody who looks at the same logs. */
class Notebook {
  runs = $state.raw<ByKey<RunNotes>>(new Map());
  thresholds = $state.raw<ByKey<ThresholdRecord>>(new Map());
  pins = $state.raw<ByKey<PinRecord>>(new Map());
  mutes = $state.raw<ByKey<MuteRecord>>(new Map());
  isWritable = $state(true);
  /** What people should know about the file of the notebook. */
  warning = $state.raw<Reason | null>(null);
  /** Why the last change or reading failed. */
  problem = $state.raw<Problem | null>(null);
  #last: Promise<boolean> = Promise.resolve(true);

  async load(): Promise<void> {
    try {
      const answer = await fetchNotebook();
      this.runs = filled(answer.runs);
      this.thresholds = filled(answer.thresholds);
      this.pins = filled(answer.pins);
      this.mutes = filled(answer.mutes);
      this.isWritable = answer.is_writable;
      this.warning = answer.problem;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  notesOf(run: string): RunNotes | undefined {
    return this.runs.get(run);
  }

  /** The same change for some runs, shown at once. */
  changeRuns(ids: readonly string[], change: NotesChange): Promise<boolean> {
    const { colour, ...rest } = change;
    const colours = colour === undefined ? {} : colour === null ? { clear_colour: true } : { colour };
    const blank: RunNotes = { note: "", tags: [], colour: null, archived: false, version: 0 };
    const before = this.runs;
    this.runs = new Map([...before, ...ids.map((run) => [run, { ...(before.get(run) ?? blank), ...change }] as const)]);
    return this.#write(() => sendRunChanges(ids.map((run) => ({ run, version: this.runs.get(run)?.version ?? 0, ...rest, ...colours }))));
  }

  putThreshold(id: string, threshold: Threshold | null): Promise<boolean> {
    return this.#write(() => sendThreshold(id, this.thresholds.get(id)?.version ?? 0, threshold));
  }

  putPin(id: string, pin: Pin | null): Promise<boolean> {
    return this.#write(() => sendPin(id, this.pins.get(id)?.version ?? 0, pin));
  }

  putMute(id: string, mute: Mute | null): Promise<boolean> {
    return this.#write(() => sendMute(id, this.mutes.get(id)?.version ?? 0, mute));
  }

  /** Changes are sent one after the other: each is made on top of the answer to the one before. */
  #write(send: () => Promise<Records>): Promise<boolean> {
    this.#last = this.#last.then(() => this.#send(send));
    return this.#last;
  }

  /** Sends a change; one that met a newer record is made once more on top of it. False: it failed, `problem` says why. */
  async #send(send: () => Promise<Records>, isAgain = false): Promise<boolean> {
    try {
      this.#take(await send());
      this.problem = null;
      return true;
    } catch (error) {
      const newer = newerRecords(error);
      if (newer && !isAgain) {
        this.#take(newer);
        return this.#send(send, true);
      }
      await this.load();
      this.problem = problemOf(error);
      return false;
    }
  }

  #take(records: Records): void {
    this.runs = merged(this.runs, records.runs);
    this.thresholds = merged(this.thresholds, records.thresholds);
    this.pins = merged(this.pins, records.pins);
    this.mutes = merged(this.mutes, records.mutes);
  }
}

function filled<Entry>(records: Readonly<Record<string, Entry | null>>): ByKey<Entry> {
  return merged(new Map(), records);
}

function merged<Entry>(known: ByKey<Entry>, records: Readonly<Record<string, Entry | null>>): ByKey<Entry> {
  const changes = Object.entries(records);
  if (changes.length === 0) return known;
  const all = new Map(known);
  for (const [key, record] of changes) {
    if (record === null) all.delete(key);
    else all.set(key, record);
  }
  return all;
}

/** What people noted about a run as one text: its labels, then its note. */
export function notesText(notes: RunNotes | undefined): string {
  return notes ? [...notes.tags, notes.note].filter((text) => text !== "").join(" ") : "";
}

/** A name for a new record that nobody else gives. */
export function freshId(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;
}

export const notebook = new Notebook();

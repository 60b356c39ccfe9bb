// SPDX-License-Identifier: Apache-2.0
import {
  fetchAnnotations,
  newerRecords,
  sendGroupChanges,
  sendRecord,
  sendRunChanges,
  type GroupNotes,
  type Mute,
  type MuteRecord,
  type PinRecord,
  type Records,
  type Report,
  type ReportBlock,
  type ReportRecord,
  type RunChange,
  type RunNotes,
  type TargetRecord,
  type Threshold,
  type ThresholdRecord,
  type View,
  type ViewRecord,
  type Written,
} from "../../api/annotations";
import { labelsAfter, type LabelChange } from "./labelChange";
import type { Reason } from "../../core/text/reason";
import { filled, merged, type ByKey } from "./records";
import { Backoff } from "../requests/backoff";
import { problemOf, type Problem } from "../requests/problem";

export type { Mute, Report, ReportBlock, RunNotes, Threshold, ThresholdRecord, View };

/** A change of a run; an absent field stays. `color` null is the assigned color. */
export type NotesChange = Partial<Pick<RunNotes, "color" | "archived">> & { labels?: LabelChange };

const BLANK: RunNotes = { note: "", tags: [], color: null, archived: false, version: 0, note_author: "" };

/** The server refuses a change of more runs. */
const MOST_RUNS = 10_000;

/** Sends a change on top of what is known; null where it does not fit any more. */
type Send = () => Promise<Records> | null;

/** What people keep about runs: on the server, for everybody who looks at the same logs. */
class Annotations {
  runs = $state.raw<ByKey<RunNotes>>(new Map());
  groups = $state.raw<ByKey<GroupNotes>>(new Map());
  thresholds = $state.raw<ByKey<ThresholdRecord>>(new Map());
  pins = $state.raw<ByKey<PinRecord>>(new Map());
  views = $state.raw<ByKey<ViewRecord>>(new Map());
  mutes = $state.raw<ByKey<MuteRecord>>(new Map());
  /** By the id of a column of the lineage. */
  targets = $state.raw<ByKey<TargetRecord>>(new Map());
  reports = $state.raw<ByKey<ReportRecord>>(new Map());
  /** Everything was read at least once. */
  isRead = $state(false);
  isWritable = $state(true);
  /** What people should know about the file of the annotations. */
  warning = $state.raw<Reason | null>(null);
  /** Why the last change or reading failed. */
  problem = $state.raw<Problem | null>(null);
  #last: Promise<boolean> = Promise.resolve(true);
  /** Grows with every change that the server answered. */
  #taken = 0;
  /** Error of the last failed read; the next read clears it. */
  #unread: Problem | null = null;
  #backoff = new Backoff(() => void this.load());

  /** Reads everything; where that fails, once more by itself until it succeeds. */
  async load(): Promise<void> {
    try {
      const taken = this.#taken;
      const answer = await fetchAnnotations();
      // an answer that was on its way while a change was answered may be the older one
      if (taken !== this.#taken) return await this.load();
      this.runs = filled(answer.runs);
      this.groups = filled(answer.groups);
      this.thresholds = filled(answer.thresholds);
      this.pins = filled(answer.pins);
      this.views = filled(answer.views);
      this.mutes = filled(answer.mutes);
      this.targets = filled(answer.targets);
      this.reports = filled(answer.reports);
      this.isRead = true;
      this.isWritable = answer.is_writable;
      this.warning = answer.problem;
      this.#backoff.reset();
      if (this.problem === this.#unread) this.problem = null;
    } catch (error) {
      this.problem = this.#unread = problemOf(error);
      // after a reconnect to the server its annotations are read again
      if (!this.#unread.isUnreachable) this.#backoff.failed();
    }
  }

  notesOf(run: string): RunNotes | undefined {
    return this.runs.get(run);
  }

  /** The same change for several runs, shown at once and sent in parts. Concurrent label changes of other users stay. */
  async changeRuns(ids: readonly string[], { labels, ...rest }: NotesChange): Promise<boolean> {
    const labelled = ({ tags }: RunNotes): Partial<RunNotes> => (labels ? { tags: labelsAfter(labels, tags) } : {});
    const shown = ids.map((run) => {
      const notes = this.runs.get(run) ?? BLANK;
      return [run, { ...notes, ...rest, ...labelled(notes) }] as const;
    });
    this.runs = new Map([...this.runs, ...shown]);
    const changeOf = (run: string): RunChange => {
      const notes = this.runs.get(run) ?? BLANK;
      return { run, version: notes.version, ...rest, ...labelled(notes) };
    };
    for (let first = 0; first < ids.length; first += MOST_RUNS) {
      const part = ids.slice(first, first + MOST_RUNS);
      if (!(await this.#write(() => sendRunChanges(part.map(changeOf))))) return false;
    }
    return true;
  }

  /** Colors of runs that are drawn as one, by the name of their group, shown at once; null is the given color. */
  changeGroups(colors: ByKey<string | null>): Promise<boolean> {
    const versionOf = (group: string): number => this.groups.get(group)?.version ?? 0;
    const shown = [...colors].map(([group, color]) => [group, { color, version: versionOf(group) }] as const);
    this.groups = new Map([...this.groups, ...shown]);
    return this.#write(() => sendGroupChanges([...colors].map(([group, color]) => ({ group, color, version: versionOf(group) }))));
  }

  /** A note that was written over `from`. False, and nothing is changed, where it is another one now. */
  changeNote(run: string, from: string, note: string): Promise<boolean> {
    return this.#write(() => {
      const { version, note: now } = this.runs.get(run) ?? BLANK;
      return now === from ? sendRunChanges([{ run, version, note }]) : null;
    });
  }

  /** Writes a record; null deletes it. */
  put<Table extends keyof Written>(table: Table, id: string, record: Written[Table] | null): Promise<boolean> {
    return this.#write(() => sendRecord(table, id, this[table].get(id)?.version ?? 0, record));
  }

  /** Changes a report on top of what others changed; null deletes it. False: it failed, or others deleted the report. */
  changeReport(id: string, change: (report: Report) => Report | null): Promise<boolean> {
    return this.#write(() => {
      const record = this.reports.get(id);
      if (!record) return null;
      const { version, ...report } = record;
      return sendRecord("reports", id, version, change(report));
    });
  }

  /** Changes are sent one after the other: each is made on top of the answer to the one before. */
  #write(send: Send): Promise<boolean> {
    this.#last = this.#last.then(() => this.#send(send));
    return this.#last;
  }

  /** Sends a change; one that met a newer record is made once more on top of it. False: it failed, `problem` says why. */
  async #send(send: Send, isAgain = false): Promise<boolean> {
    try {
      const sent = send();
      if (sent === null) return false;
      this.#take(await sent);
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
    this.#taken++;
    this.runs = merged(this.runs, records.runs);
    this.groups = merged(this.groups, records.groups);
    this.thresholds = merged(this.thresholds, records.thresholds);
    this.pins = merged(this.pins, records.pins);
    this.views = merged(this.views, records.views);
    this.mutes = merged(this.mutes, records.mutes);
    this.targets = merged(this.targets, records.targets);
    this.reports = merged(this.reports, records.reports);
  }
}

/** What people noted about a run as one text: its labels, then its note. */
export function notesText(notes: RunNotes | undefined): string {
  return notes ? [...notes.tags, notes.note].filter((text) => text !== "").join(" ") : "";
}

/** A unique name for a new record. */
export function freshId(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;
}

export const annotations = new Annotations();

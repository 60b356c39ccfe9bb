// SPDX-License-Identifier: Apache-2.0
import { isAbort, request } from "../../api/client";
import { message } from "../../api/decode";
import type { Schemas } from "../../core/messages/message";
import type { TimelineWindow } from "../../core/profiles/timeline";
import type { TimeRange } from "../../core/profiles/timeRange";
import { problemOf, type Problem } from "../requests/problem";

type WindowQuery = Schemas["WindowQuery"];

/** What is on the screen. */
export interface TimelineSight {
  run: string;
  profile: string;
  version: string;
  range: TimeRange;
  /** Pixels of the range. */
  width: number;
  tracks: readonly { track: number; rows: number }[];
  counters: readonly number[];
}

/** A window is loaded with this share of its width on both sides, so that small moves need no request. */
const BESIDE = 0.25;
const MOST_PIXELS = 8192;
/** A window is drawn until its pixels are this much finer or coarser than the screen. */
const FINER = 0.45;
const RETRY_MS = 1500;

/** The newest window of a timeline. While one is loading, only the last sight waits: a moving screen never waits for old ones. */
export class TimelineWindows {
  value = $state.raw<TimelineWindow | null>(null);
  problem = $state.raw<Problem | null>(null);
  #loaded: WindowQuery | null = null;
  #wanted: WindowQuery | null = null;
  #abort: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  show(sight: TimelineSight): void {
    if (sight.width < 1 || (sight.tracks.length === 0 && sight.counters.length === 0)) return;
    if (this.#loaded && isEnough(this.#loaded, sight)) {
      this.#wanted = null;
      return;
    }
    this.#wanted = queryOf(sight);
    void this.#load();
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    [this.#abort, this.#wanted] = [null, null];
  }

  async #load(): Promise<void> {
    if (this.#abort) return;
    while (this.#wanted) {
      const query = this.#wanted;
      this.#wanted = null;
      const abort = (this.#abort = new AbortController());
      try {
        const value = await message<"WindowHeader">(request("/api/profiles/window", { body: query, signal: abort.signal }));
        if (abort.signal.aborted) return;
        [this.value, this.problem, this.#loaded] = [value, null, query];
      } catch (error) {
        if (abort.signal.aborted || isAbort(error)) return;
        this.problem = problemOf(error);
        this.#timer = setTimeout(() => {
          this.#wanted ??= query;
          void this.#load();
        }, RETRY_MS);
        break;
      }
    }
    this.#abort = null;
  }
}

function queryOf({ run, profile, version, range, width, tracks, counters }: TimelineSight): WindowQuery {
  const pixel = Math.max(1, Math.ceil((range.end - range.begin) / width));
  const beside = Math.ceil(width * BESIDE);
  return {
    ...{ run, profile, version },
    tracks: [...tracks],
    counters: [...counters],
    begin_ns: Math.floor(range.begin) - beside * pixel,
    pixel_ns: pixel,
    width: Math.min(MOST_PIXELS, width + 2 * beside),
  };
}

function isEnough(loaded: WindowQuery, sight: TimelineSight): boolean {
  const isSame = loaded.run === sight.run && loaded.profile === sight.profile && loaded.version === sight.version;
  const ideal = Math.max(1, Math.ceil((sight.range.end - sight.range.begin) / sight.width));
  const isFine = loaded.pixel_ns <= ideal && loaded.pixel_ns >= ideal * FINER;
  const [begin, end] = [loaded.begin_ns, loaded.begin_ns + loaded.pixel_ns * loaded.width];
  const covers = begin <= sight.range.begin && end >= sight.range.end;
  const rows = new Map(loaded.tracks.map(({ track, rows }) => [track, rows]));
  const hasTracks = sight.tracks.every((each) => (rows.get(each.track) ?? 0) >= each.rows);
  return isSame && isFine && covers && hasTracks && sight.counters.every((each) => loaded.counters?.includes(each));
}

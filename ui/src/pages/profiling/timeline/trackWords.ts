// SPDX-License-Identifier: Apache-2.0
import type { TimelineCounter, TimelineTrack } from "../../../core/profiles/timeline";
import { processKey } from "../../../core/profiles/timelineLayout";
import { t, type MessageKey } from "../../../i18n/i18n.svelte";

/** Names that the readers of profiles give to tracks; others are those of processes, threads and streams. */
const TRACKS: Readonly<Record<string, MessageKey>> = {
  ProfilerStep: "profile.track_steps",
  Steps: "profile.track_steps",
  Phases: "profile.track_phases",
  Communication: "profile.track_communication",
};

const COUNTERS: readonly (readonly [RegExp, MessageKey])[] = [
  [/^(.+) allocated$/, "profile.counter_allocated"],
  [/^(.+) reserved$/, "profile.counter_reserved"],
];

/** Process and thread in the current language. */
export function trackTitle(track: TimelineTrack | undefined, separator: string): string {
  if (!track) return "";
  const names = [track.process_name || track.process, track.thread_name || track.thread];
  return [...new Set(names.filter((name) => name !== "").map(nameOf))].join(separator);
}

/** Threads that help the training are a process of their own. */
export function namedTrack(track: TimelineTrack): TimelineTrack {
  const { process_name: process, thread_name: thread } = track;
  const names = { process_name: nameOf(process), thread_name: nameOf(thread), isNamed: thread in TRACKS };
  if (!track.is_helper) return { ...track, ...names };
  return { ...track, ...names, process: HELPERS, process_name: t("profile.helper_tracks"), isNamed: true };
}

/** Identifier of the process of helpers; those of profiles are no blanks. */
const HELPERS = " ";
export const HELPERS_KEY = processKey({ process: HELPERS });

export function namedCounter(counter: TimelineCounter): TimelineCounter {
  for (const [pattern, key] of COUNTERS) {
    const device = pattern.exec(counter.name)?.[1];
    if (device !== undefined) return { ...counter, name: t(key, { device }) };
  }
  return counter;
}

function nameOf(name: string): string {
  const key = TRACKS[name];
  return key ? t(key) : name;
}

// SPDX-License-Identifier: Apache-2.0
import type { TimelineArea } from "../../../core/view/profileView";
import { wholeRange } from "../../../core/profiles/timeRange";
import type { TimelineFacts } from "../../../state/data/profiles";
import { view } from "../../../state/view/view.svelte";

/** What of the area in the address is in this timeline; null for nothing. */
export function chosenArea({ duration_ns, tracks: known }: TimelineFacts): TimelineArea | null {
  const { area } = view.profiles;
  const whole = wholeRange(duration_ns);
  if (!area || area.begin >= whole.end || area.end <= whole.begin) return null;
  const numbers = new Set(known.map(({ track }) => track));
  const tracks = area.tracks?.filter((track) => numbers.has(track)) ?? null;
  const [begin, end] = [Math.max(whole.begin, area.begin), Math.min(whole.end, area.end)];
  return tracks?.length === 0 ? null : { begin, end, tracks };
}

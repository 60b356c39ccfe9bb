// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../messages/message";
import { ROWS_VIEW, EACH } from "./profileRows";
import type { ProfileTab, ProfileView } from "./profileView";

/** A row that advice rests on, as the server describes it. */
export type AdvicePlace = Schemas["AdviceRow"];

/** Beside a range that is opened in the timeline, as a share of it. */
const MARGIN = 0.02;
/** The shortest range that is opened, in nanoseconds. */
const SHORTEST = 1000;

const TABS: Readonly<Record<string, ProfileTab>> = {
  operators: "operators",
  kernels: "operators",
  modules: "modules",
  memory: "memory",
  timeline: "timeline",
};

/** A range of the timeline with some space beside it. */
export function rangeAround(begin: number, duration: number): [number, number] {
  const margin = Math.max(duration * MARGIN, SHORTEST / 2);
  return [Math.floor(begin - margin), Math.ceil(begin + duration + margin)];
}

/** The tab with all rows of a part of a profile. */
export function partView(part: string): Partial<ProfileView> {
  return { tab: TABS[part] ?? "overview", ...(part === "operators" || part === "kernels" ? { part } : {}) };
}

/** Whether the page Dataset graph shows a row, or all rows of a part, and no tab of a profile. */
export function isOfPipeline(of: AdvicePlace | string): boolean {
  return typeof of === "string" ? of === "data_pipeline" : of.kind === "operation" || of.kind === "batch";
}

/** The tab that shows a row, with that row selected. */
export function adviceView(place: AdvicePlace, view: ProfileView): Partial<ProfileView> {
  const { kind, name, of, row } = place;
  switch (kind) {
    case "step":
      return ofStep(Number(name), view);
    case "operator":
    case "kernel":
      return {
        tab: "operators",
        part: `${kind}s`,
        rows: { ...ROWS_VIEW.defaultValue, group: EACH, where: [{ column: "name", text: name }], row },
      };
    case "stream":
      return { tab: "overview", stream: `${of} ${name}` };
    case "operation":
      return { steps: { ...view.steps, operation: name } };
    case "batch":
      return { steps: { ...view.steps, step: Number(name) } };
    case "moment":
      return { tab: "memory", memory: { ...view.memory, device: of, time: place.begin_ns, range: null, block: null } };
    case "block":
      return { tab: "memory", memory: { ...view.memory, device: of, time: place.begin_ns, range: null, panel: "leaks", block: row } };
    case "further":
      return { tab: "overview", further: of, furtherRow: row };
    case "collective":
      return place.begin_ns === null ? ofStep(row, view) : inTimeline(place);
    default:
      return place.begin_ns === null ? {} : inTimeline(place);
  }
}

function ofStep(number: number, view: ProfileView): Partial<ProfileView> {
  return { tab: "overview", steps: { ...view.steps, step: number } };
}

/** The slice is selected, or else the range that it would have. */
function inTimeline({ begin_ns, duration_ns, slice }: AdvicePlace): Partial<ProfileView> {
  const [begin, duration] = [begin_ns ?? 0, duration_ns ?? 0];
  const area = slice === null ? { begin, end: begin + Math.max(1, duration), tracks: null } : null;
  return { tab: "timeline", range: rangeAround(begin, duration), slice, area, panel: slice === null ? "statistics" : "details" };
}

// SPDX-License-Identifier: Apache-2.0
import type { FactColumn } from "./runTable";

/** What the columns of the list of runs depend on. */
export interface RunColumnsNeed {
  /** Pixels between the edges of the list. */
  width: number;
  /** Kinds of data in the run that has the most of them. */
  kinds: number;
  hasNotes: boolean;
  hasIssues: boolean;
  /** Columns of the lineage, which are hidden last. */
  lineage: number;
}

export interface RunColumnsPlan {
  /** Widths of the columns, as CSS says them. */
  template: string;
  hidden: readonly FactColumn[];
  /** Kinds of data that there is room for. */
  kinds: number;
  /** Columns of the lineage that there is room for. */
  lineage: number;
  /** Columns that show their sign without its words. */
  brief: readonly FactColumn[];
}

/** Beside the names: the tick with its color in front, the menu at the end. */
const ENDS = { first: 48, last: 24 };
export const COLUMN_GAP = 8;
const PADDING = 32;
const LEAST_NAME = 140;
const KIND = 40;
/** Width of a column of the lineage. */
const LINEAGE = 96;

interface Draft {
  kinds: number;
  lineage: number;
  hidden: Set<FactColumn>;
  brief: Set<FactColumn>;
  isTight: boolean;
}

/** From the roomiest list to the barest: what each step gives up. The first one that fits is taken. */
const STEPS: readonly ((draft: Draft) => void)[] = [
  () => undefined,
  (draft) => draft.brief.add("issues"),
  (draft) => (draft.kinds = Math.min(draft.kinds, 6)),
  (draft) => (draft.kinds = Math.min(draft.kinds, 5)),
  (draft) => (draft.kinds = Math.min(draft.kinds, 4)),
  (draft) => draft.hidden.add("files"),
  (draft) => (draft.isTight = true),
  (draft) => draft.brief.add("notes"),
  (draft) => (draft.kinds = Math.min(draft.kinds, 3)),
  (draft) => draft.hidden.add("size"),
  (draft) => draft.hidden.add("duration"),
  (draft) => draft.hidden.add("data"),
  (draft) => draft.hidden.add("step"),
  (draft) => draft.hidden.add("notes"),
  (draft) => draft.brief.add("state"),
  (draft) => draft.hidden.add("updated"),
];

/** The columns that fit a width. */
export function runColumns(need: RunColumnsNeed): RunColumnsPlan {
  const draft: Draft = {
    kinds: need.kinds,
    lineage: need.lineage,
    hidden: new Set(need.hasIssues ? [] : ["issues"]),
    brief: new Set(),
    isTight: false,
  };
  let plan = planOf(draft, need);
  for (const giveUp of STEPS) {
    giveUp(draft);
    plan = planOf(draft, need);
    if (plan.least <= need.width) break;
  }
  while (plan.least > need.width && draft.lineage > 0) {
    draft.lineage--;
    plan = planOf(draft, need);
  }
  return plan;
}

function planOf(draft: Draft, need: RunColumnsNeed): RunColumnsPlan & { least: number } {
  const { kinds, lineage, hidden, brief, isTight } = draft;
  const facts = widthsOf(draft, need).filter(({ column }) => !hidden.has(column));
  const chosen = Array.from({ length: lineage }, () => ({ least: LINEAGE, share: 0 }));
  const columns = [...facts.slice(0, 1), ...chosen, ...facts.slice(1)];
  const widths = columns.map(({ least }) => least);
  const least =
    PADDING + ENDS.first + ENDS.last + LEAST_NAME + widths.reduce((sum, width) => sum + width, 0) + COLUMN_GAP * (widths.length + 2);
  const tracks = columns.map(({ least: from, share }) => (share === 0 ? `${from}px` : `minmax(${from}px, ${share}fr)`));
  const name = `minmax(${isTight ? 0 : LEAST_NAME}px, 1fr)`;
  return {
    template: [`${ENDS.first}px`, name, ...tracks, `${ENDS.last}px`].join(" "),
    hidden: [...hidden],
    kinds,
    lineage,
    brief: [...brief],
    least,
  };
}

interface Width {
  column: FactColumn;
  least: number;
  /** Of the room that is left over. */
  share: number;
}

/** Every column but that of the names, in their order. */
function widthsOf({ kinds, brief, isTight }: Draft, { hasNotes, hasIssues }: RunColumnsNeed): Width[] {
  const fixed = (column: FactColumn, least: number): Width => ({ column, least, share: 0 });
  const notes = hasNotes ? { column: "notes" as const, least: 112, share: 0.6 } : fixed("notes", brief.has("notes") ? 40 : 104);
  const issues = hasIssues && !brief.has("issues") ? { column: "issues" as const, least: 112, share: 0.4 } : fixed("issues", 36);
  return [
    fixed("state", brief.has("state") ? 12 : isTight ? 76 : 88),
    fixed("updated", isTight ? 88 : 104),
    fixed("duration", isTight ? 64 : 80),
    fixed("step", isTight ? 68 : 80),
    fixed("data", 12 + KIND * kinds),
    fixed("files", 56),
    fixed("size", isTight ? 64 : 72),
    notes,
    issues,
  ];
}

// SPDX-License-Identifier: Apache-2.0
import { viewToQuery, type ViewState } from "../../core/view/urlState";
import { annotations, freshId, type Report, type ReportBlock } from "../annotations/annotations.svelte";
import { address } from "./address.svelte";
import { pageLocation } from "./location.svelte";
import { selection } from "./selection.svelte";

/** A report with the id under which the workspace keeps it. */
export interface NamedReport extends Report {
  id: string;
}

const EMPTY_BLOCK: Omit<ReportBlock, "id"> = { text: "", address: null, card: null, pinned: null, is_half: false };

/** Reports of everybody who looks at the same base directory. */
class Reports {
  /** The one that was changed last comes first. */
  list = $derived<readonly NamedReport[]>(
    [...annotations.reports]
      .sort(([, one], [, other]) => other.version - one.version)
      .map(([id, { title, blocks }]) => ({ id, title, blocks })),
  );

  /** The id of a new report; null: it could not be saved. */
  async create(title: string, blocks: readonly ReportBlock[] = []): Promise<string | null> {
    const id = freshId();
    return (await annotations.put("reports", id, { title, blocks: [...blocks] })) ? id : null;
  }

  /** Appends a block. False: it could not be saved. */
  append(id: string, block: ReportBlock): Promise<boolean> {
    return annotations.changeReport(id, ({ title, blocks }) => ({ title, blocks: [...blocks, block] }));
  }
}

export function blockOf(block: Partial<ReportBlock>): ReportBlock {
  return { ...EMPTY_BLOCK, id: freshId(), ...block };
}

/** The address of this page with its runs by name, and with this change. */
export function cardAddress(change: Partial<ViewState> = {}): string {
  const { state } = address;
  const runs = state.runs ?? { base: "none" as const, except: selection.shown };
  const query = viewToQuery({ ...state, runs, report: null, ...change });
  return query === "" ? pageLocation.path : `${pageLocation.path}?${query}`;
}

export const reports = new Reports();

// SPDX-License-Identifier: Apache-2.0
import { cellText, type LineageCell } from "../../core/lineage/column";
import type { PipelineStage, StageColumn } from "../../core/lineage/pipelineColumns";
import { formatSetting } from "../../core/text/format";
import { ownValue } from "../../core/text/ownValue";

/** Parameters that say most about an operation, for a line of text. */
const TELLING: readonly string[] = [
  "batch_size",
  "buffer_size",
  "count",
  "operations",
  "columns",
  "sampler",
  "num_samples",
  "size",
  "prob",
];
const MOST = 2;

export function parameterWords(cell: LineageCell | undefined): string {
  if (cell === undefined || cell === null) return "–";
  if (typeof cell === "number") return formatSetting(cell);
  if (Array.isArray(cell)) return cell.map((item: LineageCell) => parameterWords(item)).join(", ");
  return cellText(cell);
}

/** The parameters of a stage that its cell shows: those that differ, else those that say most. */
export function shownParameters(stage: PipelineStage, { differing }: StageColumn): { name: string; text: string; differs: boolean }[] {
  const names = differing.length > 0 ? [...differing] : TELLING.filter((name) => name in stage.parameters);
  return names
    .slice(0, MOST)
    .map((name) => ({ name, text: parameterWords(ownValue(stage.parameters, name)), differs: differing.includes(name) }));
}

/** A stage in one line: `Batch(batch_size=32, drop_remainder=true)`; empty if there is none. */
export function stageText(stage: PipelineStage | null): string {
  if (!stage) return "";
  const parameters = Object.entries(stage.parameters).map(([name, cell]) => `${name}=${cellText(cell)}`);
  return `${stage.name ?? ""}(${parameters.join(", ")})`;
}

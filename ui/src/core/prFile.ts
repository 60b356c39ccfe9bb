// SPDX-License-Identifier: Apache-2.0
import { csvTable } from "./csv";
import type { PrCurve } from "./prCurve";

const COLUMNS = ["precision", "recall", "true_positives", "false_positives", "true_negatives", "false_negatives"] as const;

/** The curve of a run at a step. */
export interface RunPr {
  run: string;
  step: number;
  curve: PrCurve;
}

/** A line for each run and threshold. */
export function prCsv(curves: readonly RunPr[]): string {
  const rows = curves.flatMap(({ run, step, curve }) =>
    curve.threshold.map((threshold, index) => [run, step, threshold, ...COLUMNS.map((name) => curve[name][index] ?? null)]),
  );
  return csvTable(["run", "step", "threshold", ...COLUMNS], rows);
}

/** The same as JSON: a list of runs with their columns. */
export function prJson(curves: readonly RunPr[]): string {
  return `${JSON.stringify(curves.map(({ run, step, curve }) => ({ run, step, ...curve })))}\n`;
}

// SPDX-License-Identifier: Apache-2.0
import { csvTable } from "./csv";
import { jsonNumbers } from "./json";
import type { PrCurve } from "../series/prCurve";

const COLUMNS = ["threshold", "precision", "recall", "true_positives", "false_positives", "true_negatives", "false_negatives"] as const;

/** The curve of a run at a step. */
export interface RunPr {
  run: string;
  step: number;
  curve: PrCurve;
}

/** A line for each run and threshold, every number as the log has it. */
export function prCsv(curves: readonly RunPr[]): string {
  const rows = curves.flatMap(({ run, step, curve }) =>
    Array.from(curve.threshold, (_, index) => [
      run,
      step,
      ...COLUMNS.map((name) => (Number.isNaN(curve[name][index]) ? null : curve[name][index]!)),
    ]),
  );
  return csvTable(["run", "step", ...COLUMNS], rows);
}

/** The same as JSON: a list of runs with their columns. */
export function prJson(curves: readonly RunPr[]): string {
  const named = curves.map(({ run, step, curve }) => ({
    run,
    step,
    ...Object.fromEntries(COLUMNS.map((name) => [name, jsonNumbers(curve[name])])),
  }));
  return `${JSON.stringify(named)}\n`;
}

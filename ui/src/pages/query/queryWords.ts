// SPDX-License-Identifier: Apache-2.0
import { queryTexts } from "../../i18n/en/query";
import { addEnglish, type MessageKey } from "../../i18n/i18n.svelte";

addEnglish(queryTexts);

/** Statements to begin with, by their titles. */
export const EXAMPLES: readonly { title: MessageKey; statement: string }[] = [
  {
    title: "query.example_best",
    statement: "SELECT run, tag, best, best_step, last\nFROM metrics\nWHERE tag LIKE '%loss%'\nORDER BY tag, best",
  },
  {
    title: "query.example_curves",
    statement:
      "SELECT step, value, run\nFROM scalars\nWHERE tag = (SELECT min(tag) FROM metrics WHERE tag LIKE '%loss%')\n  AND NOT is_overwritten\nORDER BY run, step",
  },
  {
    title: "query.example_parameters",
    statement:
      "SELECT run, params['learning_rate']::DOUBLE AS learning_rate, min(best) AS loss\nFROM runs JOIN metrics USING (run)\nWHERE tag LIKE '%loss%'\nGROUP BY ALL\nORDER BY loss",
  },
  {
    title: "query.example_operators",
    statement:
      "SELECT run, name, sum(count) AS calls, sum(coalesce(device_self_ns, host_self_ns)) / 1e6 AS self_ms\nFROM operators\nGROUP BY ALL\nORDER BY self_ms DESC\nLIMIT 50",
  },
  {
    title: "query.example_errors",
    statement: "SELECT run, file, severity, text\nFROM logs\nWHERE severity IN ('error', 'critical')\nLIMIT 200",
  },
];

// SPDX-License-Identifier: Apache-2.0
/** A comparison in the form; the limit is text until it is a number. */
export interface Condition {
  operator: string;
  limit: string;
}

/** The rule in the server's words, as in "value > 2 or value < 0.1"; null while a limit is no number. */
export function ruleOf(conditions: readonly Condition[], joint: "and" | "or"): string | null {
  const isWhole = conditions.every(({ limit }) => limit.trim() !== "" && Number.isFinite(Number(limit)));
  if (!isWhole) return null;
  return conditions.map(({ operator, limit }) => `value ${operator} ${Number(limit)}`).join(` ${joint} `);
}

const SIGNS: Readonly<Record<string, string>> = { ">=": "≥", "<=": "≤", "==": "=", "!=": "≠" };

/** Label of a threshold line: "> 2". */
export function boundText({ operator, limit }: { operator: string; limit: number }): string {
  return `${SIGNS[operator] ?? operator} ${Number(limit.toPrecision(6))}`;
}

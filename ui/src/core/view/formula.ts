// SPDX-License-Identifier: Apache-2.0
import { isFormula } from "./chartPlan";

/** A tag as the server's expressions name it, whatever letters it has. */
export function tagExpression(tag: string): string {
  if (!/[`\\\n\r]/.test(tag)) return `\`${tag}\``;
  return `tag(${JSON.stringify(tag)})`;
}

/** The expression of a part of a chart: the formula itself, or the tag in quotes. */
export function partExpression(name: string): string {
  return isFormula(name) ? name.slice(1).trim() : tagExpression(name);
}

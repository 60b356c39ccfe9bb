// SPDX-License-Identifier: Apache-2.0
const BRACKETS = /^.+\[(.*)\]$/;

/** The names of scopes in the network, by their labels: `Linear[fc]` and `fc-Linear` are `fc`; empty for the network itself. */
export function scopeNames(labels: readonly string[], parents: readonly number[]): string[] {
  const found: string[] = [];
  for (const [scope, label] of labels.entries()) {
    const above = found[parents[scope]!] ?? "";
    const own = BRACKETS.exec(label)?.[1] ?? (label.includes("-") ? label.slice(0, label.lastIndexOf("-")) : "");
    found.push(above === "" || own === "" ? above || own : `${above}.${own}`);
  }
  return found;
}

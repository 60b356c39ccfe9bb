// SPDX-License-Identifier: Apache-2.0

/** A parameter of a condition, with the value that it has unless another is set; null is off. */
export interface WatchParameter {
  name: string;
  usual: number | null;
  low: number | null;
  high: number | null;
  isLowExcluded: boolean;
  /** Compares a statistic. */
  isCompared: boolean;
}

/** What a user fills in. */
export interface WatchFields {
  /** Of a condition or of a recommended watchpoint. */
  name: string;
  /** By parameter; empty for the usual value. */
  values: Readonly<Record<string, string>>;
  forSteps: string;
  /** With commas between several. */
  patterns: string;
}

export type WatchFault = "nothing_set" | "range_needed";

/** A finite number, also written with a comma; null for anything else. */
export function numberOf(text: string): number | null {
  const number = Number(text.trim().replace("−", "-"));
  return text.trim() !== "" && Number.isFinite(number) ? number : null;
}

/** Whether a field is empty or holds a number in the range of its parameter. */
export function isAccepted(text: string, { low, high, isLowExcluded }: WatchParameter): boolean {
  if (text.trim() === "") return true;
  const number = numberOf(text);
  if (number === null) return false;
  return (low === null || (isLowExcluded ? number > low : number >= low)) && (high === null || number <= high);
}

/** Why filled fields make no watchpoint; null if they make one. */
export function faultOf(fields: WatchFields, parameters: readonly WatchParameter[]): WatchFault | null {
  const isSet = ({ name, usual }: WatchParameter): boolean => usual !== null || (fields.values[name] ?? "").trim() !== "";
  const compared = parameters.filter(({ isCompared }) => isCompared);
  if (compared.length > 0 && !compared.some(isSet)) return "nothing_set";
  const isMissing = parameters.some((each) => /^range_(start|end)/.test(each.name) && !isSet(each));
  const needsRange = parameters.some((each) => each.name.startsWith("range_percentage") && isSet(each));
  return needsRange && isMissing ? "range_needed" : null;
}

/** The text of a watchpoint, with what differs from the usual. */
export function watchText(fields: WatchFields, parameters: readonly WatchParameter[], usualSteps: number): string {
  const settings = parameters.flatMap(({ name, usual }) => {
    const number = numberOf(fields.values[name] ?? "");
    return number === null || number === usual ? [] : [`${name}=${number}`];
  });
  const steps = Math.max(1, Math.round(numberOf(fields.forSteps) ?? usualSteps));
  const patterns = fields.patterns.split(",").flatMap((pattern) => pattern.trim() || []);
  return [
    ...[fields.name, ...settings],
    ...(steps === usualSteps ? [] : [`for ${steps}`]),
    ...(patterns.length === 0 ? [] : [`@ ${patterns.join(",")}`]),
  ].join(" ");
}

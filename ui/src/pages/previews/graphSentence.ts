// SPDX-License-Identifier: Apache-2.0
import { formatCount, groupDigits } from "../../core/text/format";
import { graphs } from "../../i18n/en/graphs";
import { addEnglish, t } from "../../i18n/i18n.svelte";
import type { GraphSummary } from "../../state/data/graphs";

addEnglish(graphs);

const MOST_SHAPES = 3;
const PREFIXES = ["", "k", "M", "G", "T", "P"] as const;

/** What a graph is: name, parameters, FLOPs of a forward pass, shapes at both ends, blocks. Unknown parts are said, never added up. */
export function graphSentence(summary: GraphSummary, name: string): string {
  const facts = [parameterText(summary), flopsText(summary), shapesText(summary), blocksText(summary)];
  const text = facts.filter((fact) => fact !== "").join(t("graph.sentence_comma"));
  const title = summary.name || name;
  return title === "" || text === "" ? title + text : t("graph.sentence", { name: title, facts: text });
}

/** Why facts of the sentence are missing or only a part. */
export function sentenceNotes({ has_edges, unknown_flops, unknown_parameters, input_count, output_count }: GraphSummary): string[] {
  return [
    has_edges ? "" : t("graph.only_structure"),
    unknown_flops > 0 ? t("graph.unknown_flops", { n: unknown_flops, count: groupDigits(unknown_flops) }) : "",
    unknown_parameters > 0 ? t("graph.unknown_parameters", { n: unknown_parameters, count: groupDigits(unknown_parameters) }) : "",
    input_count + output_count === 0 ? t("graph.unknown_ends") : "",
  ].filter((note) => note !== "");
}

function parameterText({ parameters, unknown_parameters }: GraphSummary): string {
  if (parameters === 0) return "";
  return t("graph.sentence_parameters", { n: parameters, count: atLeast(formatCount(parameters), unknown_parameters) });
}

function flopsText({ flops, unknown_flops, has_backward }: GraphSummary): string {
  if (flops === 0) return "";
  const step = Math.min(Math.floor(Math.log10(flops) / 3), PREFIXES.length - 1);
  const amount = (flops / 1000 ** step).toPrecision(step === 0 ? 3 : 2 + Number(flops / 1000 ** step >= 100));
  const count = atLeast(`${Number(amount)} ${PREFIXES[step]!}`, unknown_flops);
  return t(has_backward ? "graph.sentence_forward_flops" : "graph.sentence_flops", { count });
}

const atLeast = (text: string, unknown: number): string => (unknown > 0 ? `\u2265 ${text}` : text);

function shapesText({ inputs, input_count, outputs, output_count }: GraphSummary): string {
  if (input_count + output_count === 0) return "";
  return `${sideText(inputs, input_count)} \u2192 ${sideText(outputs, output_count)}`;
}

function sideText(shapes: readonly (readonly number[] | null)[], count: number): string {
  const texts = shapes
    .slice(0, MOST_SHAPES)
    .map((shape) => (shape === null ? "?" : shape.map((size) => (size < 0 ? "?" : size)).join("\u00d7") || t("graph.scalar")));
  return count === 0 ? "?" : [...texts, ...(count > MOST_SHAPES ? [`+${count - MOST_SHAPES}`] : [])].join(", ");
}

const blocksText = ({ blocks, block }: GraphSummary): string =>
  blocks === 0 ? "" : t(block === "" ? "graph.sentence_blocks" : "graph.sentence_blocks_of", { count: groupDigits(blocks), name: block });

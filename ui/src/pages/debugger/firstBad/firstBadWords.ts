// SPDX-License-Identifier: Apache-2.0
import { formatValue, groupDigits } from "../../../core/text/format";
import { firstBadTexts } from "../../../i18n/en/firstBad";
import type { Values } from "../../../i18n/fill";
import { addEnglish, type MessageKey } from "../../../i18n/i18n.svelte";
import type { DebugFirstBad, DebugGrowth, DebugOperator, DebugTensor } from "../../../state/data/debugger";
import "../debugWords"; // its texts

addEnglish(firstBadTexts);

/** Says a message in the language of the page. */
type Say = (key: MessageKey, values?: Values) => string;

const KINDS = [
  ["nan", "NaN"],
  ["positive_inf", "+Inf"],
  ["negative_inf", "−Inf"],
] as const;

export function operatorName({ kind, name }: DebugOperator, say: Say): string {
  return kind === "operator" ? name : say(`debug.bad_${kind}`, { name });
}

/** A parameter by its path, another tensor by its place at its operator. */
export function tensorPlace({ role, slot, module, operator }: DebugTensor, say: Say): string {
  if (role === "parameter" || role === "gradient") return module === "" ? slot : `${module}.${slot}`;
  return say("debug.bad_slot", { role: say(`debug.role_${role}`), slot, operator });
}

/** What happened, in one or two sentences. */
export function firstBadHead(found: DebugFirstBad, hasRanks: boolean, say: Say): string {
  const step = groupDigits(found.step);
  const values = {
    pass: say(`debug.bad_pass_${found.phase}`),
    place: hasRanks ? say("debug.bad_place_rank", { step, rank: found.rank }) : say("debug.bad_place", { step }),
    operator: operatorName(found.operator, say),
    before: operatorName(found.before, say),
    tensor: tensorPlace(found.tensor.tensor, say),
    what: whatText(found, say),
    since: groupDigits(found.since),
    maker: found.made_by,
  };
  return say(headKey(found), values);
}

function headKey(found: DebugFirstBad): MessageKey {
  const { cause, operator, before } = found;
  if (cause === "operator") {
    const key = operator.kind === "operator" ? "debug.bad_operator" : "debug.bad_computed";
    return found.has_finite_inputs ? key : `${key}_other`;
  }
  if (cause === "buffer" || cause === "parameters") {
    const key = cause === "parameters" && operator.kind === "update" ? "debug.bad_parameters_changed" : (`debug.bad_${cause}` as const);
    return found.since === found.step ? key : `${key}_${found.made_by === "" ? "since" : "made"}`;
  }
  const isInside = operator.kind !== before.kind || operator.name !== before.name;
  return cause === "unrecorded" && isInside ? "debug.bad_unrecorded_inside" : `debug.bad_${cause}`;
}

/** What limits the finding. */
export function firstBadNotes(found: DebugFirstBad, say: Say): string[] {
  return [
    ...(found.is_module && found.cause === "operator" ? [say("debug.bad_module")] : []),
    ...(found.operator.kind === "update" && found.cause === "operator" ? [say("debug.bad_optimizer")] : []),
    ...(found.is_first_step ? [say("debug.bad_first_step")] : []),
  ];
}

export function growthText({ factor, since, first, last, limit, tensor }: DebugGrowth, say: Say): string {
  const values = { since: groupDigits(since), first: formatValue(first), last: formatValue(last) };
  const isDoubled = factor >= 1.9 && factor <= 2.1;
  const grew = isDoubled ? say("debug.bad_doubled", values) : say("debug.bad_grew", { ...values, factor: formatValue(factor, 3) });
  return limit === null ? grew : `${grew} ${say("debug.bad_limit", { dtype: tensor.dtype, limit: formatValue(limit) })}`;
}

function whatText({ tensor: { figures } }: DebugFirstBad, say: Say): string {
  const present = KINDS.filter(([figure]) => (figures[figure] ?? 0) > 0);
  const bad = present.reduce((sum, [figure]) => sum + figures[figure]!, 0);
  const kinds = present.map(([, text]) => text).join(say("debug.bad_and"));
  const isLeast = (figures.zero ?? null) === null; // only extremes were recorded: they prove one such element
  const text = isLeast ? "debug.bad_what_least" : "debug.bad_what";
  return say(text, { kinds, bad: groupDigits(bad), count: groupDigits(figures.count ?? 0) });
}

// SPDX-License-Identifier: Apache-2.0
import type { MessageKey } from "../../i18n/i18n.svelte";
import type { IconName } from "../../widgets/controls/icons";

export type Kind = "scalar" | "histogram" | "image" | "tensor" | "graph" | "pipeline" | "landscape" | "profile";

/** Kinds whose preview is of one tag, which a person chooses. */
export const TAGGED = ["scalar", "histogram", "image", "tensor"] as const;
export type TaggedKind = (typeof TAGGED)[number];

export interface CardKind {
  kind: Kind;
  title: MessageKey;
  icon: IconName;
  /** Address of the page of this kind; null while there is none. */
  path: string | null;
  /** What to write into a training script to fill the card. */
  code: string;
  how?: MessageKey;
  testid: string;
}

/** A kind that a script records itself, value by value, with a page of its own. */
function recorded(kind: TaggedKind, title: MessageKey, page: IconName, what: string): CardKind {
  const code = `record.add_value("${kind}", ${what})\nrecord.record(step)`;
  return { kind, title, icon: page, path: `/${page}`, code, testid: `card-${page}` };
}

/** A kind that the collector takes from a training by itself. */
function collected(kind: "graph" | "pipeline" | "landscape", option: string, value: string): CardKind {
  const code = `SummaryCollector(summary_dir,\n  collect_specified_data={\n    "${option}":${value}})`;
  return { kind, title: `dashboard.${kind}`, icon: kind, path: null, code, testid: `card-${kind}` };
}

const PROFILERS = {
  mindspore: "# MindSpore\nprofiler = mindspore.Profiler()\nmodel.train(...)\nprofiler.analyse()",
  pytorch: "# PyTorch\nwith torch.profiler.profile() as profiler:\n    train()",
};

/** The card of a kind for a run of a framework: only code of that framework, all where nobody knows which. */
export function cardFor(card: CardKind, framework: keyof typeof PROFILERS | null): CardKind {
  return card.kind === "profile" && framework ? { ...card, code: PROFILERS[framework] } : card;
}

/** Every card of the dashboard, in their order. */
export const KINDS: readonly CardKind[] = [
  recorded("scalar", "nav.scalars", "scalars", '"loss", loss'),
  recorded("histogram", "dashboard.histograms", "histograms", '"conv1.weight", weight'),
  recorded("image", "nav.images", "images", '"input", images'),
  recorded("tensor", "nav.tensors", "tensors", '"fc1.weight", weight'),
  collected("graph", "collect_graph", " True"),
  collected("pipeline", "collect_dataset_graph", " True"),
  collected("landscape", "collect_landscape", '\n      {"landscape_size": 40}'),
  {
    kind: "profile",
    title: "dashboard.profile",
    icon: "profile",
    path: null,
    code: Object.values(PROFILERS).join("\n\n"),
    how: "dashboard.profile_how",
    testid: "card-profile",
  },
];

/** Kinds that are looked at on pages of their own, without a card here. */
export const MORE: readonly { kinds: readonly string[]; path: string; name: MessageKey }[] = [
  { kinds: ["text"], path: "/texts", name: "nav.texts" },
  { kinds: ["audio"], path: "/audio", name: "nav.audio" },
  { kinds: ["pr_curve"], path: "/pr-curves", name: "nav.prcurves" },
  { kinds: ["hparams", "train_lineage"], path: "/hparams", name: "nav.hparams" },
];

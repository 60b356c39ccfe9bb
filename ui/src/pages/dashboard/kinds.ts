// SPDX-License-Identifier: Apache-2.0
import type { MessageKey } from "../../i18n/i18n.svelte";
import type { IconName } from "../../widgets/icons";

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

/** Every card of the dashboard, in their order. */
export const KINDS: readonly CardKind[] = [
  {
    kind: "scalar",
    title: "nav.scalars",
    icon: "scalars",
    path: "/scalars",
    code: `record.add_value("scalar", "loss", loss)
record.record(step)`,
    testid: "card-scalars",
  },
  {
    kind: "histogram",
    title: "dashboard.distributions",
    icon: "distributions",
    path: "/distributions",
    code: `record.add_value("histogram", "conv1.weight", weight)
record.record(step)`,
    testid: "card-distributions",
  },
  {
    kind: "image",
    title: "nav.images",
    icon: "images",
    path: "/images",
    code: `record.add_value("image", "input", images)
record.record(step)`,
    testid: "card-images",
  },
  {
    kind: "tensor",
    title: "nav.tensors",
    icon: "tensors",
    path: "/tensors",
    code: `record.add_value("tensor", "fc1.weight", weight)
record.record(step)`,
    testid: "card-tensors",
  },
  {
    kind: "graph",
    title: "dashboard.graph",
    icon: "graph",
    path: null,
    code: `SummaryCollector(summary_dir,
  collect_specified_data={
    "collect_graph": True})`,
    testid: "card-graph",
  },
  {
    kind: "pipeline",
    title: "dashboard.pipeline",
    icon: "pipeline",
    path: null,
    code: `SummaryCollector(summary_dir,
  collect_specified_data={
    "collect_dataset_graph": True})`,
    testid: "card-pipeline",
  },
  {
    kind: "landscape",
    title: "dashboard.landscape",
    icon: "landscape",
    path: null,
    code: `SummaryCollector(summary_dir,
  collect_specified_data={
    "collect_landscape":
      {"landscape_size": 40}})`,
    testid: "card-landscape",
  },
  {
    kind: "profile",
    title: "dashboard.profile",
    icon: "profile",
    path: null,
    code: `with torch.profiler.profile() as profiler:
    train()`,
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

// SPDX-License-Identifier: Apache-2.0
import type { MessageKey } from "../../i18n/i18n.svelte";

/** What to write into a training script to fill each card. */
export const CODES = {
  scalar: `record.add_value("scalar", "loss", loss)
record.record(step)`,
  histogram: `record.add_value("histogram", "conv1.weight", weight)
record.record(step)`,
  image: `record.add_value("image", "input", images)
record.record(step)`,
  tensor: `record.add_value("tensor", "fc1.weight", weight)
record.record(step)`,
  graph: `SummaryCollector(summary_dir, collect_specified_data=
    {"collect_graph": True})`,
  pipeline: `SummaryCollector(summary_dir, collect_specified_data=
    {"collect_dataset_graph": True})`,
  landscape: `SummaryCollector(summary_dir, collect_specified_data=
    {"collect_landscape": {"landscape_size": 40}})`,
  profile: `with torch.profiler.profile() as profiler:
    train()`,
} as const;

/** Kinds that are looked at on pages of their own, without a card here. */
export const MORE: readonly { kind: string; path: string; name: MessageKey }[] = [
  { kind: "text", path: "/texts", name: "nav.texts" },
  { kind: "audio", path: "/audio", name: "nav.audio" },
  { kind: "pr_curve", path: "/pr-curves", name: "nav.prcurves" },
  { kind: "hparams", path: "/hparams", name: "nav.hparams" },
  { kind: "train_lineage", path: "/hparams", name: "nav.hparams" },
];

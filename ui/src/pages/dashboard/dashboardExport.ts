// SPDX-License-Identifier: Apache-2.0
import { landscapeTag, previewTag } from "../../core/view/dashboardView";
import { groupDigits } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, PlannedCard, ViewPlan } from "../../export/html/model";
import { imageFilter } from "../images/imageFilter";
import { reasonText } from "../../state/requests/problem";
import { runs, type Run } from "../../state/data/runs.svelte";
import { readPreviews, readTags } from "../../state/data/exportReads";
import { tags as shownTags } from "../../state/data/tags.svelte";
import type { Previews } from "../../state/data/values.svelte";
import { view } from "../../state/view/view.svelte";
import { namedRuns } from "../../export/selectedRuns";
import { KINDS, TAGGED, type CardKind, type TaggedKind } from "./kinds";
import {
  landscapeContent,
  graphContent,
  pipelineContent,
  scalarContent,
  histogramContent,
  imageContent,
  tensorContent,
} from "./previewParts";

/** The previews of a run, and which kinds of data it has not. */
export async function dashboardExport(run: string, signal: AbortSignal): Promise<ViewPlan> {
  const facts = runs.byId.get(run);
  const previews = await shownPreviews(run, signal);
  const counted = KINDS.map((card) => ({ card, count: countOf(card, facts, previews) }));
  const filled = counted.filter(({ count }) => count !== "");
  const missing = counted.filter(({ count }) => count === "").map(({ card }) => t(card.title));
  const peers = [...new Set(shownTags.list.flatMap((tag) => tag.runs))].filter((one) => one !== run);
  return {
    page: "dashboard",
    title: `${t("nav.dashboard")} · ${run}`,
    runs: namedRuns([run, ...peers]),
    settings: [
      ...(facts ? [{ name: t("runs.path"), value: facts.path }] : []),
      ...(missing.length > 0 ? [{ name: t("dashboard.missing"), value: missing.join(" · ") }] : []),
      ...previews.problems.map((problem) => ({ name: t("saved.unread"), value: reasonText(problem) })),
    ],
    sections: [{ title: t("nav.dashboard"), cards: filled.map(({ card, count }) => cardOf(card, count, run, previews)) }],
    filter: imageFilter(view.pictures),
  };
}

/** The previews with the landscape that the page shows. */
async function shownPreviews(run: string, signal: AbortSignal): Promise<Previews> {
  const chosen = view.dashboard.tags.landscape;
  const usual = await readPreviews({ run, landscape: null }, signal);
  const landscape = landscapeTag(usual.landscapes, chosen, usual.landscape?.tag);
  return landscape === undefined || landscape === usual.landscape?.tag ? usual : readPreviews({ run, landscape }, signal);
}

/** How much there is of a kind, in words; "" when there is nothing. */
function countOf({ kind }: CardKind, facts: Run | undefined, { graph, pipeline }: Previews): string {
  if (kind === "graph") return graph ? t("dashboard.nodes", { n: graph.nodes, nodes: groupDigits(graph.nodes) }) : "";
  if (kind === "pipeline") return pipeline ? t("dashboard.stages", { n: pipeline.stages.length }) : "";
  const n = kind === "profile" ? 0 : (facts?.tags[kind] ?? 0);
  return kind === "profile" || n === 0 ? "" : t(`kind.${kind}`, { n });
}

function cardOf({ kind, title }: CardKind, count: string, run: string, previews: Previews): PlannedCard {
  const make = async (signal: AbortSignal): Promise<CardContent> => {
    const tagged = TAGGED.find((one) => one === kind);
    const content = tagged ? await taggedContent(tagged, run, signal) : previewOf(kind, run, previews);
    return { facts: [count, ...content.facts], parts: content.parts };
  };
  return { title: t(title), run: null, make };
}

async function taggedContent(kind: TaggedKind, run: string, signal: AbortSignal): Promise<CardContent> {
  const { tags } = await readTags([run], kind, signal);
  const tag = previewTag(
    tags.map((one) => one.tag),
    view.dashboard.tags[kind],
  );
  if (tag === undefined) return { facts: [], parts: [] };
  const read = { scalar: scalarContent, histogram: histogramContent, image: imageContent, tensor: tensorContent }[kind];
  const { facts, parts } = await read(run, tag, signal);
  return { facts: [tag, ...facts], parts };
}

function previewOf(kind: CardKind["kind"], run: string, { graph, pipeline, landscape }: Previews): CardContent {
  if (kind === "graph" && graph) return graphContent(run, graph);
  if (kind === "pipeline" && pipeline) return pipelineContent(pipeline);
  if (kind === "landscape" && landscape) return landscapeContent(run, landscape);
  return { facts: [], parts: [] };
}

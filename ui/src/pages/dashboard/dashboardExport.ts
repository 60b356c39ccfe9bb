// SPDX-License-Identifier: Apache-2.0
import { landscapeTag } from "../../core/view/dashboardView";
import { formatBytes, groupDigits } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, PlannedCard, ViewPlan } from "../../export/html/model";
import { imageFilter } from "../images/imageFilter";
import { reasonText } from "../../state/requests/problem";
import { fetchRunFiles, type RunFileList } from "../../state/data/files";
import { lineage } from "../../state/data/lineage.svelte";
import { runs } from "../../state/data/runs.svelte";
import { readPreviews } from "../../state/data/exportReads";
import { tags as shownTags } from "../../state/data/tags.svelte";
import type { Previews } from "../../state/data/values.svelte";
import { view } from "../../state/view/view.svelte";
import { namedRuns } from "../../export/selectedRuns";
import type { KindCard, KindDescriptor } from "../previews/kind";
import { fileNote } from "../frame/fileWords";
import { lineageFields } from "../previews/lineageFields";
import { cardAmount } from "./cardAmount";

interface CountedCard {
  kind: KindDescriptor;
  card: KindCard;
  amount: string;
}

/** The previews of a run, and which kinds of data it has not. */
export async function dashboardExport(run: string, kinds: readonly KindDescriptor[], signal: AbortSignal): Promise<ViewPlan> {
  const facts = runs.byId.get(run);
  const previews = await shownPreviews(run, signal);
  const fields = lineage.table && lineageFields(lineage.table, run).length;
  const counted = kinds.flatMap((kind) =>
    kind.card ? [{ kind, card: kind.card, amount: cardAmount(kind, facts, previews, fields) ?? "" }] : [],
  );
  const filled = counted.filter(({ amount }) => amount !== "");
  const missing = counted.filter(({ amount }) => amount === "").map(titleOf);
  const files = await fetchRunFiles(run, signal);
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
    sections: [
      { title: t("nav.dashboard"), cards: filled.map((card) => cardOf(card, run, previews)) },
      ...(files.total > 0 ? [{ title: t("files.title"), cards: [filesCard(files)] }] : []),
    ],
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

function cardOf({ kind, card, amount }: CountedCard, run: string, previews: Previews): PlannedCard {
  const make = async (signal: AbortSignal): Promise<CardContent> => {
    const saved = await card.saved?.();
    const content = saved ? await saved({ run, kind: kind.kind, previews }, signal) : { facts: [], parts: [] };
    return { facts: [amount, ...content.facts], parts: content.parts };
  };
  return { title: titleOf({ kind, card }), run: null, make };
}

/** The list of files, without their content. */
function filesCard({ files, total, size_bytes: size }: RunFileList): PlannedCard {
  const titles = [t("files.name"), t("files.kind"), t("files.step"), t("files.size"), "sha256", ""];
  const columns = titles.map((title, index) => ({ title, isNumber: index === 2 || index === 3 }));
  const rows = files.map((file) => ({
    color: null,
    cells: [
      { text: file.name, value: file.name },
      { text: t(`files.kind_${file.kind}`), value: file.kind },
      { text: file.step === null ? "" : groupDigits(file.step), value: file.step },
      { text: file.left_out ? "" : formatBytes(file.size_bytes), value: file.size_bytes },
      { text: file.sha256.slice(0, 12), value: file.sha256 },
      { text: fileNote(file), value: fileNote(file) },
    ],
  }));
  const content: CardContent = {
    facts: [t("files.total", { n: groupDigits(total), size: formatBytes(size) })],
    parts: [{ kind: "table", label: t("files.title"), columns, rows }],
  };
  return { title: t("files.title"), run: null, isWide: true, hasPrefix: false, make: () => Promise.resolve(content) };
}

function titleOf({ kind, card }: { kind: KindDescriptor; card: KindCard }): string {
  return t(card.title ?? kind.title);
}

// SPDX-License-Identifier: Apache-2.0
import { formatNs } from "../../../core/profiles/timeText";
import type { ProfileKey } from "../../../core/view/profileView";
import { html } from "../../../export/html/markup";
import type { CardContent, Part, PlannedCard, ViewPlan } from "../../../export/html/model";
import { namedRuns } from "../../../export/selectedRuns";
import { tableContent, type PlannedColumn } from "../../../export/tablePart";
import { t } from "../../../i18n/i18n.svelte";
import type { ProfileTables } from "../../../state/data/profiles";
import { view } from "../../../state/view/view.svelte";
import { reasonText } from "../../../state/requests/problem";
import { adviceText, missingGroups, percent, STEP_PARTS } from "../profileWords";
import { stepNotes } from "../stepNotes";
import { gainText } from "./gainText";
import { overviewFigures } from "./overviewFigures";

type Summary = ProfileTables["summary"];

/** The overview of a profile: figures, advice, steps, the largest operators and kernels, and what is not recorded. */
export function overviewExport({ run, profile }: ProfileKey, { summary, ...tops }: ProfileTables): ViewPlan {
  const cards = [
    card(t("profile.figures"), summary, figures(summary)),
    card(t("profile.advice"), summary, adviceOf(summary)),
    card(t("profile.step_times"), summary.steps, steps(summary)),
    card(t("profile.top_operators"), tops.top_operators, largest(t("profile.top_operators"), tops.top_operators)),
    card(t("profile.top_kernels"), tops.top_kernels, largest(t("profile.top_kernels"), tops.top_kernels)),
    card(t("profile.missing"), summary.missing, texts(missingGroups(summary.missing).map(missingWords))),
    card(t("profile.problems"), summary.problems, texts(summary.problems.map(({ file, problem }) => [file, reasonText(problem)]))),
  ];
  return {
    page: "profile",
    title: `${t("nav.profile")} · ${t("profile.tab_overview")}`,
    runs: namedRuns([run]),
    settings: [{ name: t("profile.choose"), value: profile }],
    pin: { view: { profiles: { ...view.profiles, chosen: { run, profile } } } },
    sections: [{ title: t("profile.tab_overview"), cards: cards.flat() }],
  };
}

/** None without rows. */
function card(title: string, rows: Summary | readonly unknown[], content: CardContent): PlannedCard[] {
  if ("length" in rows && rows.length === 0) return [];
  return [{ title, run: null, isWide: true, hasPrefix: false, make: () => Promise.resolve(content) }];
}

function figures(summary: Summary): CardContent {
  const words = (title: string, text: (row: { name: string; text: string }) => string): PlannedColumn<{ name: string; text: string }> => ({
    title,
    isNumber: false,
    value: text,
    text,
  });
  const columns = [words(t("profile.name"), ({ name }) => name), words(t("profile.value"), ({ text }) => text)];
  return tableContent(t("profile.figures"), columns, overviewFigures(summary), () => null);
}

function adviceOf({ cards }: Summary): CardContent {
  if (cards.length === 0) return { facts: [], parts: [{ kind: "notice", tone: "note", text: t("profile.no_advice") }] };
  return texts(
    cards.map(({ advice: [first, ...evidence], share, gain, function: found }) => {
      const { finding, remedy } = adviceText(first!);
      return [
        finding,
        ...(gain === null ? [] : [t("profile.card_gain", { share: percent(share), gain: gainText(gain) })]),
        remedy,
        ...(found ? [`${t("profile.card_code")} ${found.name}`] : []),
        ...evidence.map((each) => adviceText(each).finding),
      ];
    }),
  );
}

function steps(summary: Summary): CardContent {
  type Step = Summary["steps"][number];
  const parts = STEP_PARTS.filter(({ part }) => summary.steps.some((step) => (step.parts[part] ?? 0) > 0));
  const columns: PlannedColumn<Step>[] = [
    { title: t("profile.step"), isNumber: false, value: ({ number }) => number, text: ({ number }) => String(number) },
    time(t("profile.duration"), ({ duration_ns }) => duration_ns),
    ...parts.map(({ part }) => time<Step>(t(`profile.part_${part}`), (step) => step.parts[part] ?? 0)),
  ];
  const warmUp = summary.steps.filter(({ is_warm_up }) => is_warm_up).map(({ number }) => number);
  const cut = summary.steps.filter(({ is_incomplete }) => is_incomplete).map(({ number }) => number);
  const content = tableContent(t("profile.step_times"), columns, summary.steps, () => null);
  return { ...content, facts: [...content.facts, ...stepNotes(warmUp, cut)] };
}

function largest(label: string, rows: ProfileTables["top_operators"]): CardContent {
  type Row = ProfileTables["top_operators"][number];
  const columns: PlannedColumn<Row>[] = [
    { title: t("profile.name"), isNumber: false, value: ({ name }) => name, text: ({ name }) => name },
    time(t("profile.duration"), ({ time_ns }) => time_ns),
    { title: t("profile.share_of_all"), isNumber: true, value: ({ share }) => share, text: ({ share }) => percent(share) },
  ];
  return tableContent(label, columns, rows, () => null);
}

/** Values are nanoseconds. */
function time<Row>(title: string, value: (row: Row) => number): PlannedColumn<Row> {
  return { title, isNumber: true, value, text: (row) => formatNs(value(row)) };
}

function missingWords({ parts, text, remedy }: ReturnType<typeof missingGroups>[number]): string[] {
  return [parts.join(t("profile.separator")), text, ...(remedy === "" ? [] : [remedy])];
}

/** Lines below each other, of which the first is a heading. */
function texts(found: readonly (readonly string[])[]): CardContent {
  return { facts: [], parts: found.map((lines): Part => ({ kind: "text", text: lines.join("\n"), markup: markupOf(lines) })) };
}

function markupOf([heading = "", ...lines]: readonly string[]): string {
  return html`<p><strong>${heading}</strong></p>
    ${lines.map((line) => html`<p>${line}</p>`)}`.text;
}

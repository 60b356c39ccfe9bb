// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../../core/text/format";
import { rowAtStep } from "../../core/series/steps";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, ImagePart, Setting } from "../../export/html/model";
import { readOnce } from "../../state/requests/resourceCache";
import { imageLists, imageAddress, type ImageList } from "../../state/data/images.svelte";
import { readImageBytes } from "../../state/data/exportReads";
import type { TagRuns } from "../../state/data/tags.svelte";
import { view } from "../../state/view/view.svelte";
import { dataUrl } from "../../export/dataUrl";
import { savedMedia, type SavedMedia, type ShownValue } from "../../export/stepCards";
import { imageFilter } from "./imageFilter";

/** Pictures of one value that a card shows. */
const MOST = 36;

const stepped = savedMedia({ source: imageLists, read: readImages, readFull: readPanel });

export const imageMedia: SavedMedia = {
  cards: (tags, isFull) => stepped.cards(isFull ? tags.map(comparedTag) : tags, isFull),
  settings: imageSettings,
  filter: (isFull) => imageFilter(view.pictures, isFull && view.pictures.comparison?.by === "difference"),
};

/** A run that the others are compared with has no picture of its own, unless it is alone. */
function comparedTag(full: TagRuns): TagRuns {
  const { comparison } = view.pictures;
  const others = full.runs.filter((run) => !(comparison && "run" in comparison && comparison.run === run));
  return { ...full, runs: others.length > 0 ? others : full.runs };
}

function imageSettings(isFull: boolean): Setting[] {
  const { brightness, contrast, comparison, gain } = view.pictures;
  const percent = (factor: number): string => `${Math.round(100 * factor)} %`;
  const other = comparison && ("step" in comparison ? t("images.step", { step: groupDigits(comparison.step) }) : comparison.run);
  return [
    ...(brightness === 1 ? [] : [{ name: t("images.brightness"), value: percent(brightness) }]),
    ...(contrast === 1 ? [] : [{ name: t("images.contrast"), value: percent(contrast) }]),
    ...(isFull && comparison ? [{ name: t("images.compare"), value: `${t(`images.compare_${comparison.by}`)} · ${other}` }] : []),
    ...(isFull && comparison?.by === "difference" && gain !== 1 ? [{ name: t("images.gain"), value: `${gain} ×` }] : []),
  ];
}

/** All pictures of a value, as a card shows them. */
export async function readImages({ key, step, list }: ShownValue<ImageList>, signal: AbortSignal): Promise<CardContent> {
  const held = Math.max(1, list.pictures ?? 1);
  const label = t("images.picture", { tag: list.tag, run: list.run, step });
  const pictures: ImagePart["pictures"][number][] = [];
  for (let picture = 0; picture < Math.min(MOST, held); picture++)
    pictures.push({ label, source: await read(list, key.id, picture, signal) });
  return {
    facts: [...sizeOf(list), ...(held > MOST ? [t("saved.part_pictures", { n: groupDigits(held - MOST) })] : [])],
    parts: [{ kind: "pictures", pictures, arrangement: "grid" }],
  };
}

/** The picture that full screen is at, or two compared. */
async function readPanel(shown: ShownValue<ImageList>, signal: AbortSignal): Promise<CardContent> {
  const { comparison, picture } = view.pictures;
  const { list, row } = shown;
  const other = comparison && (await secondOf(shown, signal));
  const places = [{ list, row }, ...(other ? [other] : [])];
  const pictures: ImagePart["pictures"][number][] = [];
  for (const place of places) {
    const label = `${place.list.run} · ${t("images.step", { step: groupDigits(place.list.step[place.row]!) })}`;
    pictures.push({ label, source: await read(place.list, place.list.id[place.row]!, picture, signal) });
  }
  return { facts: sizeOf(list), parts: [{ kind: "pictures", pictures, arrangement: comparison && other ? comparison.by : "grid" }] };
}

async function secondOf({ list, step }: ShownValue<ImageList>, signal: AbortSignal): Promise<{ list: ImageList; row: number } | null> {
  const { comparison } = view.pictures;
  if (!comparison) return null;
  if ("step" in comparison) return { list, row: rowAtStep(list.step, comparison.step) };
  const against = await readOnce(imageLists, { run: comparison.run, tag: list.tag }, signal);
  const row = rowAtStep(against.step, step);
  return row < 0 ? null : { list: against, row };
}

async function read(list: ImageList, id: string, picture: number, signal: AbortSignal): Promise<string> {
  return dataUrl(await readImageBytes(imageAddress(list, id, picture), signal));
}

function sizeOf({ width, height }: ImageList): string[] {
  return width ? [`${width} × ${height}`] : [];
}

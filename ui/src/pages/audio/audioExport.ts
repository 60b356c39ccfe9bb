// SPDX-License-Identifier: Apache-2.0
import { waveDrawing } from "../../charts/export/barDrawings";
import type { Drawing } from "../../core/layout/vectorDrawing";
import { formatBytes, groupDigits } from "../../core/text/format";
import { formatPlace } from "../../core/series/waveform";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, Part } from "../../export/html/model";
import { audioClips, type ShownClip } from "../../state/data/audioClips.svelte";
import { colors } from "../../state/view/runColors.svelte";
import { reasonText } from "../../state/requests/problem";
import { readAudio, readClip } from "../../state/data/exportReads";
import { decodeSamples } from "../../state/data/audioPlayer.svelte";
import { valueLists, type AudioClip, type ValueList } from "../../state/data/values.svelte";
import { dataUrl } from "../../export/dataUrl";
import { savedMedia, type ShownValue } from "../../export/stepCards";
import { clipTitle } from "./clipTitle";
import { undecodable } from "./undecodable";

/** A sound that is larger is not in the file. */
const MOST_BYTES = 8 << 20;
const SIZE = { width: 560, height: 96 };

export const audioMedia = savedMedia({ source: valueLists("audio"), read });

/** A clip as its waveform and a player. */
async function read({ key, step }: ShownValue<ValueList>, signal: AbortSignal): Promise<CardContent> {
  const shown = await readClip(key, audioClips.of(key), signal);
  const { sound } = shown;
  const bytes = await readAudio(key, shown.clip, signal);
  const isHeld = bytes.size <= MOST_BYTES;
  const drawing = await waveOf(bytes, sound, colors.of(key.run));
  const label = clipTitle(`${key.tag} · ${key.run} · ${t("images.step", { step: groupDigits(step) })}`, shown);
  const parts: Part[] = [{ kind: "sound", label, drawing, source: isHeld ? await dataUrl(bytes) : null }];
  if (!isHeld)
    parts.push({
      kind: "notice",
      tone: "note",
      text: t("saved.sound_large", { size: formatBytes(bytes.size), most: formatBytes(MOST_BYTES) }),
    });
  if (sound.damage) parts.push({ kind: "notice", tone: "bad", text: reasonText(sound.damage) });
  else if (!drawing) parts.push({ kind: "notice", tone: "bad", text: undecodable(sound) });
  return { facts: factsOf(shown), parts };
}

function factsOf({ sound, clip, clips }: ShownClip): string[] {
  const { duration_s: duration, sample_rate: rate, channels, size_bytes: size } = sound;
  return [
    ...(clips > 1 ? [t("audio.clip", { n: clip + 1, count: clips })] : []),
    ...(duration ? [formatPlace(duration)] : []),
    ...(rate ? [`${groupDigits(rate)} Hz`] : []),
    ...(channels ? [t("audio.channels", { n: channels })] : []),
    formatBytes(size),
  ];
}

/** Null for bytes that the browser can't decode. */
async function waveOf(bytes: Blob, { sample_rate: rate }: AudioClip, color: string): Promise<Drawing | null> {
  try {
    return waveDrawing(await decodeSamples(bytes, rate ?? 0), color, SIZE);
  } catch {
    return null;
  }
}

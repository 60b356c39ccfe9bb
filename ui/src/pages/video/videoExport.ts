// SPDX-License-Identifier: Apache-2.0
import { parseGif } from "../../core/series/gif";
import { formatBytes, groupDigits } from "../../core/text/format";
import { dataUrl } from "../../export/dataUrl";
import type { CardContent } from "../../export/html/model";
import { savedMedia, type ShownValue } from "../../export/stepCards";
import { t } from "../../i18n/i18n.svelte";
import { reasonText } from "../../state/requests/problem";
import { readOnce } from "../../state/requests/resourceCache";
import { valueBytes, valueFacts, valueLists, type ValueList } from "../../state/data/values.svelte";

/** A larger video is not in the file. */
const MOST_BYTES = 8 << 20;

export const videoMedia = savedMedia({ source: valueLists("video"), read });

/** The GIF, which plays in the saved page. */
async function read({ key, step }: ShownValue<ValueList>, signal: AbortSignal): Promise<CardContent> {
  const { damage } = await readOnce(valueFacts("/api/video"), key, signal);
  const bytes = await readOnce(valueBytes("/api/video/data"), key, signal);
  const gif = parseGif(new Uint8Array(await bytes.arrayBuffer()));
  const label = t("images.picture", { tag: key.tag, run: key.run, step });
  const isHeld = bytes.size <= MOST_BYTES;
  const notices = [
    ...(isHeld
      ? []
      : [{ tone: "note" as const, text: t("video.large", { size: formatBytes(bytes.size), most: formatBytes(MOST_BYTES) }) }]),
    ...(damage ? [{ tone: "bad" as const, text: reasonText(damage) }] : []),
  ];
  return {
    facts: gif ? [`${gif.width} × ${gif.height}`, t("video.frames", { n: gif.frames.length, frames: groupDigits(gif.frames.length) })] : [],
    parts: [
      ...(isHeld ? [{ kind: "pictures" as const, pictures: [{ label, source: await dataUrl(bytes) }], arrangement: "grid" as const }] : []),
      ...notices.map((notice) => ({ kind: "notice" as const, ...notice })),
    ],
  };
}

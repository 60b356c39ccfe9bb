// SPDX-License-Identifier: Apache-2.0
import { ThemeColors } from "../../charts/frame/themeColors";
import { boxOfNumbers } from "../../core/scene/box";
import { readSceneConfig } from "../../core/scene/sceneConfig";
import { dataUrl } from "../../export/dataUrl";
import type { CardContent } from "../../export/html/model";
import { savedMedia, type ShownValue } from "../../export/stepCards";
import { t } from "../../i18n/i18n.svelte";
import { meshValue, valueLists, type MeshValue, type ValueList } from "../../state/data/values.svelte";
import { readOnce } from "../../state/requests/resourceCache";
import { colors } from "../../state/view/runColors.svelte";
import { view } from "../../state/view/view.svelte";
import { meshFrames } from "./meshFrames.svelte";
import { meshFacts, meshProblems, MOST_OF_CARD } from "./meshWords";

const SIZE = { width: 640, height: 480 };
const FINENESS = 2;

export const meshMedia = savedMedia({ source: valueLists("mesh"), read });

/** A picture from where the page sees the mesh. */
async function read({ key, step }: ShownValue<ValueList>, signal: AbortSignal): Promise<CardContent> {
  const mesh = await readOnce(meshValue, { key, item: 0, most: MOST_OF_CARD }, signal);
  const facts = meshFacts(mesh, false).map(({ text }) => text);
  const label = t("mesh.label", { tag: key.tag, run: key.run, step, facts: facts.join(", ") });
  const picture = await pictureOf(mesh, key.run, key.tag);
  return {
    facts,
    parts: [
      ...(picture === null
        ? []
        : [{ kind: "pictures" as const, pictures: [{ label, source: await dataUrl(picture) }], arrangement: "grid" as const }]),
      ...meshProblems(mesh).map((text) => ({ kind: "notice" as const, tone: "bad" as const, text })),
    ],
  };
}

async function pictureOf(mesh: MeshValue, run: string, tag: string): Promise<Blob | null> {
  const box = boxOfNumbers(mesh.box);
  if (!box) return null;
  const { MeshScene } = await import("../../charts/scene/meshScene");
  const theme = new ThemeColors(document.body);
  const config = readSceneConfig(mesh.config);
  const look = { config, isWireframe: view.values.isWireframe, color: colors.of(run), frame: meshFrames.of(tag, box) };
  const scene = new MeshScene(mesh, look, (color) => theme.hex(color));
  try {
    const canvas = scene.render(view.values.meshCamera, SIZE, FINENESS, false);
    return canvas && (await new Promise((resolve) => canvas.toBlob(resolve)));
  } finally {
    scene.dispose();
    theme.remove();
  }
}

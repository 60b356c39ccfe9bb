// SPDX-License-Identifier: Apache-2.0
import type { MeshValue } from "../../state/data/values.svelte";
import { boxOfNumbers, sizeOf } from "../../core/scene/box";
import { readSceneConfig } from "../../core/scene/sceneConfig";
import { formatValue, groupDigits } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";
import { reasonText } from "../../state/requests/problem";

/** Vertices that a card shows at most, and a mesh over the whole page. */
export const [MOST_OF_CARD, MOST_OF_PAGE] = [100_000, 1 << 20];

export interface MeshFact {
  text: string;
  title?: string;
}

/** Vertices, faces and size of a mesh; how many of them are shown, where it is not all. */
export function meshFacts({ vertex, face, vertices, faces, box }: MeshValue, isFull: boolean): MeshFact[] {
  const most = groupDigits(MOST_OF_PAGE);
  const isCloud = faces === 0;
  const reduced = t(`mesh.${isCloud ? "sample" : "joined"}${isFull ? "_full" : ""}_title`, { most });
  const shown = vertex.length / 3;
  const amount = shown < vertices ? t("mesh.sample", { some: groupDigits(shown), all: groupDigits(vertices) }) : groupDigits(vertices);
  const counted = isCloud ? t("mesh.points", { n: vertices, points: amount }) : t("mesh.vertices", { n: vertices, vertices: amount });
  const facts: MeshFact[] = [shown < vertices ? { text: counted, title: reduced } : { text: counted }];
  if (!isCloud) {
    const some = face.length / 3;
    const amount = some < faces ? t("mesh.sample", { some: groupDigits(some), all: groupDigits(faces) }) : groupDigits(faces);
    facts.push({ text: t("mesh.faces", { n: faces, faces: amount }) });
  }
  const around = boxOfNumbers(box);
  if (around) {
    const [x, y, z] = sizeOf(around).map((part) => formatValue(part)) as [string, string, string];
    const [x0, y0, z0] = around.low.map((part) => formatValue(part)) as [string, string, string];
    const [x1, y1, z1] = around.high.map((part) => formatValue(part)) as [string, string, string];
    facts.push({ text: t("mesh.size", { x, y, z }), title: t("mesh.size_title", { x0, x1, y0, y1, z0, z1 }) });
  }
  return facts;
}

/** What is wrong with a mesh, in sentences. */
export function meshProblems({ problems, config }: MeshValue): string[] {
  const { unused } = readSceneConfig(config);
  const unread = unused.length > 0 ? [t("mesh.unused", { names: [...new Set(unused)].join(", ") })] : [];
  return [...problems.map(reasonText), ...unread];
}

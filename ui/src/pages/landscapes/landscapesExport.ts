// SPDX-License-Identifier: Apache-2.0
import { ThemeColors } from "../../charts/frame/themeColors";
import { distinctSurfaces, type DrawnLandscape, type LandscapeLook } from "../../charts/landscapes/drawnLandscape";
import { landscapeDrawing } from "../../charts/export/landscapeDrawing";
import { tints } from "../../core/landscapes/colorMaps";
import { isLine } from "../../core/landscapes/landscape";
import { landscapeValues } from "../../core/landscapes/landscapeTable";
import { radiiOf } from "../../core/landscapes/path";
import { hexToRgb } from "../../core/scales/colorMap";
import type { CardContent, CardPin, SurfaceLook, ViewPlan } from "../../export/html/model";
import { namedRun, namedRuns } from "../../export/selectedRuns";
import { t } from "../../i18n/i18n.svelte";
import type { LandscapeRun } from "../../state/data/landscapes";
import { view } from "../../state/view/view.svelte";
import { computationFacts, directionTexts, progressText, qualityTexts, trainingFacts } from "./landscapeWords";

const SIZE = { width: 640, height: 480 };

interface Picture {
  all: readonly DrawnLandscape[];
  upTo: readonly number[];
  look: LandscapeLook;
}

/** The landscapes of the page. */
export function landscapesExport(pictures: readonly Picture[], runs: readonly LandscapeRun[]): ViewPlan {
  const { form, colors } = view.landscapes;
  const cards = pictures.map((picture) => {
    const [first] = picture.all;
    const isOne = picture.all.length === 1;
    return {
      title: picture.all.map(({ landscape, name }) => (isOne ? landscape.tag : `${name} ${landscape.tag}`)).join(", "),
      run: isOne ? namedRun(first!.landscape.run) : null,
      hasPrefix: false,
      isWide: pictures.length === 1,
      make: () => Promise.resolve({ ...contentOf(picture, runs), pin: pinOf([picture]) }),
    };
  });
  return {
    page: "landscapes",
    title: t("nav.landscape"),
    runs: namedRuns([...new Set(pictures.flatMap(({ all }) => all.map(({ landscape }) => landscape.run)))]),
    settings: [
      { name: t("landscape.form"), value: t(`landscape.form_${form}`) },
      { name: t("landscape.colors"), value: colors },
    ],
    sections: [{ title: "", cards }],
    pin: pinOf(pictures),
  };
}

/** The same landscapes, with the path up to the step that it has now. */
function pinOf(pictures: readonly Picture[]): CardPin {
  const all = pictures.flatMap((picture) => picture.all.map(({ landscape: { run, tag } }) => ({ run, tag })));
  const last = pictures.flatMap((picture) => picture.all.flatMap(({ landscape: { path } }) => path?.steps.at(-1) ?? []));
  const step = view.landscapes.step ?? (last.length > 0 ? Math.max(...last) : null);
  return { view: { landscapes: { ...view.landscapes, chosen: all, step } } };
}

function contentOf({ all, upTo, look }: Picture, runs: readonly LandscapeRun[]): CardContent {
  const { form } = view.landscapes;
  const label = all.map(({ name, landscape }) => `${name} ${landscape.tag}`).join(", ");
  const values = all.map(({ landscape }) => landscapeValues(landscape));
  const isSurface = form === "surface" && !all.every(({ landscape }) => isLine(landscape));
  const drawing = landscapeDrawing({ all, upTo, look, isFilled: view.landscapes.isFilled }, SIZE);
  const rows = all.flatMap(({ landscape, surface, color }) =>
    [...trainingFacts(runs.find(({ run }) => run === landscape.run)), ...computationFacts(landscape, surface)].map(({ name, value }) => ({
      color,
      cells: [
        { text: name, value: name },
        { text: value, value },
      ],
    })),
  );
  return {
    facts: [
      ...all.flatMap(({ name, landscape }) => {
        const texts = [progressText(landscape), ...qualityTexts(landscape)].filter((text) => text !== "");
        return all.length === 1 ? texts : texts.map((text) => `${name}: ${text}`);
      }),
      ...directionTexts(all.map(({ landscape }) => landscape)),
    ],
    parts: [
      isSurface
        ? { kind: "surface", label, drawing, look: surfaceLook(all, look), values }
        : { kind: "drawing", label, drawing, values: values.length === 1 ? values[0] : values },
      {
        kind: "table",
        label: t("landscape.panel"),
        columns: [
          { title: t("landscape.panel"), isNumber: false },
          { title: "", isNumber: false },
        ],
        rows,
        isFolded: true,
      },
    ],
  };
}

/** What the file needs to draw the surfaces. */
function surfaceLook(all: readonly DrawnLandscape[], look: LandscapeLook): SurfaceLook {
  const { stops, height, light, opacity, hasPath, axes, lossName } = look;
  const levels = look.hasLines ? look.levels : 0;
  const colors = new ThemeColors(document.body);
  const distinct = distinctSurfaces(all);
  const surfaces = all.map((drawn) => ({
    scale: { low: drawn.scale.low, high: drawn.scale.high, isLog: drawn.scale.isLog },
    stops: !distinct.includes(drawn) ? null : distinct.length > 1 ? tints(hexToRgb(colors.hex(drawn.color))) : stops,
    radii: drawn.landscape.path ? Array.from(radiiOf(drawn.landscape.path)) : [],
    path: distinct.length < all.length ? colors.hex(drawn.color) : null,
  }));
  colors.remove();
  const { camera } = view.landscapes;
  return { camera, height, light, opacity, levels, hasPath, names: [...axes, lossName], hint: t("landscape.saved_hint"), surfaces };
}

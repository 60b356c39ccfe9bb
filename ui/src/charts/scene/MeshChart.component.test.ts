// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import type { ComponentProps } from "svelte";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import { colorCount, savedPng } from "../../../tests/savedPicture";
import { DEFAULT_CAMERA } from "../../core/scene/camera";
import { readSceneConfig } from "../../core/scene/sceneConfig";
import type { TitledPicture } from "../frame/picture";
import MeshChart from "./MeshChart.svelte";
import type { MeshShape } from "./meshShape";

type Props = ComponentProps<typeof MeshChart> & Record<string, unknown>;

const CORNERS = Float32Array.of(-1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1, 0, 0, 2);
const FACES = Uint32Array.of(0, 1, 2, 0, 2, 3, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4);
const COLORS = Uint8Array.of(255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0);
const FRAME = { low: [-1, -1, -1], high: [1, 1, 2] } as const;

let offer: TitledPicture | null = null;

function open(shape: Partial<MeshShape> = {}, config = "", isWireframe = false): Props {
  const props: Props = render<Props>(MeshChart, {
    shape: { vertex: CORNERS, face: FACES, color: COLORS, ...shape },
    look: { config: readSceneConfig(config), isWireframe, color: "var(--series-0)", frame: FRAME },
    camera: DEFAULT_CAMERA,
    label: "A pyramid",
    oncamera: (camera) => (props.camera = camera),
    onpicture: (next) => (offer = next),
  });
  chart().element().parentElement!.parentElement!.style.cssText = "position: fixed; inset: 0; width: 500px; height: 400px";
  return props;
}

const chart = () => page.getByTestId("mesh");
const canvas = () => chart().element().querySelector("canvas")!;
const drawn = () => expect.poll(() => canvas().dataset["detail"]).toBe("fine");

/** Pixels of the saved picture that are red above all. */
async function redPixels(): Promise<number> {
  const { data } = await savedPng(offer!);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) if (data[at]! - Math.max(data[at + 1]!, data[at + 2]!) > 30) count += 1;
  return count;
}

test("faces have the colors of their vertices, and edges fewer pixels", async () => {
  const props = open();
  await drawn();
  const filled = await redPixels();
  expect(filled).toBeGreaterThan(5000);
  props.look = { ...props.look, isWireframe: true };
  await expect.poll(redPixels).toBeLessThan(filled / 2);
  expect(await redPixels()).toBeGreaterThan(50);
});

test("points without faces are a cloud", async () => {
  open({ face: new Uint32Array() });
  await drawn();
  const count = await redPixels();
  expect(count).toBeGreaterThan(20);
  expect(count).toBeLessThan(5000);
});

test("a mesh without colors is shaded in the color of its run", async () => {
  open({ color: new Uint8Array() });
  await drawn();
  expect(colorCount(await savedPng(offer!), 20)).toBeGreaterThan(3);
  expect(await redPixels()).toBe(0);
});

test("the arrow keys turn it below the ground too, and 0 goes back", async () => {
  const props = open();
  await drawn();
  (chart().element() as HTMLElement).focus();
  for (let press = 0; press < 8; press++) await userEvent.keyboard("{ArrowDown}");
  expect(props.camera.elevation).toBe(-32);
  await userEvent.keyboard("{ArrowRight}+");
  expect(props.camera.azimuth).toBe(-47);
  expect(props.camera.zoom).toBe(1.15);
  await userEvent.keyboard("0");
  expect(props.camera).toEqual(DEFAULT_CAMERA);
});

test("an orthographic camera shows the same size near and far", async () => {
  const wall = (z: number): number[] => [-1, -1, z, 1, -1, z, 1, 1, z, -1, 1, z];
  const props = open();
  props.camera = { azimuth: -90, elevation: 0, zoom: 1 };
  const area = async (z: number, config: string): Promise<number> => {
    const before = canvas().dataset["frames"];
    props.shape = { vertex: Float32Array.from(wall(z)), face: Uint32Array.of(0, 1, 2, 0, 2, 3), color: COLORS.slice(0, 12) };
    props.look = { ...props.look, config: readSceneConfig(config), frame: { low: [-1, -1, -1], high: [1, 1, 1] } };
    await expect.poll(() => canvas().dataset["frames"]).not.toBe(before);
    return redPixels();
  };
  const flat = '{"camera": {"cls": "OrthographicCamera"}}';
  const same = (await area(1, flat)) / (await area(-1, flat));
  expect(same).toBeGreaterThan(0.98);
  expect(same).toBeLessThan(1.02);
  expect((await area(1, "")) / (await area(-1, ""))).toBeGreaterThan(1.3);
});

// SPDX-License-Identifier: Apache-2.0
import { ColorManagement, LinearSRGBColorSpace, WebGLRenderer, type Camera, type Scene } from "three";

import type { Size } from "../frame/plotFrame";

// colors of the page go to the screen as they are
ColorManagement.enabled = false;

/** A renderer of the processor instead of a graphics card draws slowly. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

let shared: { renderer: WebGLRenderer; isSlow: boolean } | null = null;

/** The one renderer of the page, for browsers allow few; null without WebGL. */
export function sceneRenderer(): { renderer: WebGLRenderer; isSlow: boolean } | null {
  if (shared && !shared.renderer.getContext().isContextLost()) return shared;
  try {
    const isSlow = SOFTWARE.test(rendererName(contextOf(document.createElement("canvas"), false)));
    const canvas = document.createElement("canvas");
    const renderer = new WebGLRenderer({ canvas, context: contextOf(canvas, !isSlow) });
    renderer.outputColorSpace = LinearSRGBColorSpace;
    renderer.setPixelRatio(1);
    shared = { renderer, isSlow };
  } catch {
    shared = null;
  }
  return shared;
}

/** Draws a scene into the canvas of the renderer, which the next picture draws over; null without WebGL. */
export function renderScene(scene: Scene, camera: Camera, size: Size, ratio: number): HTMLCanvasElement | null {
  const renderer = sceneRenderer()?.renderer;
  if (!renderer) return null;
  const [width, height] = [Math.max(1, Math.round(size.width * ratio)), Math.max(1, Math.round(size.height * ratio))];
  if (renderer.domElement.width !== width || renderer.domElement.height !== height) renderer.setSize(width, height, false);
  renderer.render(scene, camera);
  return renderer.domElement;
}

/** Made here: three writes to the console if a browser has no WebGL; the page says so itself. */
function contextOf(canvas: HTMLCanvasElement, antialias: boolean): WebGL2RenderingContext {
  const context = canvas.getContext("webgl2", { antialias, alpha: true, depth: true, stencil: false, premultipliedAlpha: true });
  if (!context) throw new Error("no WebGL");
  return context;
}

function rendererName(gl: WebGL2RenderingContext): string {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  return info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
}

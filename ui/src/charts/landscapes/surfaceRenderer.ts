// SPDX-License-Identifier: Apache-2.0
import { ColorManagement, LinearSRGBColorSpace, WebGLRenderer } from "three";

// colors of the page go to the screen as they are
ColorManagement.enabled = false;

/** A renderer of the processor instead of a graphics card draws slowly. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

let shared: { renderer: WebGLRenderer; isSlow: boolean } | null = null;

/** The one renderer of the page, for browsers allow few; null without WebGL. */
export function surfaceRenderer(): { renderer: WebGLRenderer; isSlow: boolean } | null {
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

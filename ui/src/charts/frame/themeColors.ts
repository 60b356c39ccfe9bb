// SPDX-License-Identifier: Apache-2.0
/** Cache of resolved colors: `getComputedStyle` forces a layout. */
const known = new Map<string, string>();

/** Resolves CSS colors, tokens included, for a canvas. Call `forget` when the theme changes. */
export class ThemeColors {
  readonly #host: HTMLElement;
  #probe: HTMLElement | null = null;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  resolve(color: string): string {
    let resolved = known.get(color);
    if (resolved === undefined) {
      resolved = this.#ask(color);
      known.set(color, resolved);
    }
    return resolved;
  }

  /** As #rrggbb, for drawings that other programs open: few of them know oklch. */
  hex(color: string): string {
    const ctx = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
    ctx.fillStyle = this.resolve(color);
    ctx.fillRect(0, 0, 1, 1);
    const [red, green, blue] = ctx.getImageData(0, 0, 1, 1).data;
    return `#${[red, green, blue].map((part) => part!.toString(16).padStart(2, "0")).join("")}`;
  }

  remove(): void {
    this.#probe?.remove();
  }

  forget(): void {
    known.clear();
  }

  #ask(color: string): string {
    if (!this.#probe) {
      this.#probe = document.createElement("span");
      this.#probe.hidden = true;
      this.#host.append(this.#probe);
    }
    this.#probe.style.color = color;
    return getComputedStyle(this.#probe).color;
  }
}

/** Calls back when the theme was changed here or by the system; the returned function ends it. */
export function watchTheme(onchange: () => void): () => void {
  const observer = new MutationObserver(onchange);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", onchange);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", onchange);
  };
}

/** Calls back when something changes that every drawing depends on: the theme, the fonts, the pixels of the screen. */
export function watchLook(onchange: () => void): () => void {
  const unwatchTheme = watchTheme(onchange);
  document.fonts.addEventListener("loadingdone", onchange);
  const unwatchPixels = watchPixels(onchange);
  return () => {
    unwatchTheme();
    document.fonts.removeEventListener("loadingdone", onchange);
    unwatchPixels();
  };
}

/** The window came to a finer or a coarser screen, or was enlarged. */
function watchPixels(onchange: () => void): () => void {
  let pixels: MediaQueryList;
  const follow = (): void => {
    pixels = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    pixels.addEventListener("change", changed);
  };
  const changed = (): void => {
    pixels.removeEventListener("change", changed);
    follow();
    onchange();
  };
  follow();
  return () => pixels.removeEventListener("change", changed);
}

// SPDX-License-Identifier: Apache-2.0
/** Turns CSS colours, tokens included, into what a canvas understands; forgets them when the theme changes. */
export class Inks {
  readonly #probe: HTMLElement;
  readonly #known = new Map<string, string>();

  constructor(host: HTMLElement) {
    this.#probe = document.createElement("span");
    this.#probe.hidden = true;
    host.append(this.#probe);
  }

  resolve(colour: string): string {
    let resolved = this.#known.get(colour);
    if (resolved === undefined) {
      this.#probe.style.color = colour;
      resolved = getComputedStyle(this.#probe).color;
      this.#known.set(colour, resolved);
    }
    return resolved;
  }

  /** As #rrggbb, for drawings that other programs open: few of them know oklch. */
  hex(colour: string): string {
    const ctx = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
    ctx.fillStyle = this.resolve(colour);
    ctx.fillRect(0, 0, 1, 1);
    const [red, green, blue] = ctx.getImageData(0, 0, 1, 1).data;
    return `#${[red, green, blue].map((part) => part!.toString(16).padStart(2, "0")).join("")}`;
  }

  remove(): void {
    this.#probe.remove();
  }

  forget(): void {
    this.#known.clear();
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

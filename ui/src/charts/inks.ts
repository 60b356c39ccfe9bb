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

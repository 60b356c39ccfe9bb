// SPDX-License-Identifier: Apache-2.0
import { ThemeColors, watchLook } from "./themeColors";

/** The colors of the theme for an element, with `{@attach colors.attach}`. What reads `current` runs again when the look changes. */
export class ElementColors {
  #shown = $state.raw<{ colors: ThemeColors } | null>(null);

  /** Null until the element is on the page. */
  get current(): ThemeColors | null {
    return this.#shown && this.#shown.colors;
  }

  readonly attach = (element: HTMLElement): (() => void) => {
    const colors = new ThemeColors(element);
    this.#shown = { colors };
    const unwatch = watchLook(() => {
      colors.forget();
      this.#shown = { colors };
    });
    return () => {
      unwatch();
      colors.remove();
    };
  };
}

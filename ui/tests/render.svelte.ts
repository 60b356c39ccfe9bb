// SPDX-License-Identifier: Apache-2.0
import { mount, unmount, type Component } from "svelte";
import { onTestFinished } from "vitest";

import "../src/styles/tokens.css";
import "../src/styles/base.css";
import "../src/styles/utilities.css";

/** Mounts a component until the test ends. A test sets the returned props as a parent does. */
export function render<Props extends Record<string, unknown>>(component: Component<Props>, given: Props): Props {
  const props = $state(given);
  const target = document.body.appendChild(document.createElement("div"));
  const mounted = mount(component, { target, props });
  onTestFinished(async () => {
    await unmount(mounted);
    target.remove();
  });
  return props;
}

// SPDX-License-Identifier: Apache-2.0
import type { CardValues } from "./partValues";

export function turnSurfaces(root: Document | ShadowRoot, read: () => CardValues): void;

// SPDX-License-Identifier: Apache-2.0
/**
 * The path at which this viewer answers, with a slash at both ends: `/`, or what a proxy puts before it. The code knows it
 * from its own address, `ROOT/assets/NAME.js`; so does a worker, which has no document.
 */
export const ROOT = import.meta.env.DEV ? "/" : new URL(/* @vite-ignore */ "../", import.meta.url).pathname;

/** The path for the browser of a path of the viewer, such as `/scalars?run=a` or `/api/runs`. */
export function browserPath(path: string): string {
  return ROOT + path.slice(1);
}

/** The path of the viewer of a path of the browser. */
export function viewerPath(path: string): string {
  return path.startsWith(ROOT) ? path.slice(ROOT.length - 1) : path;
}

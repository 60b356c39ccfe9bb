// SPDX-License-Identifier: Apache-2.0
/** Shows the body of an SvgContext, which escapes all texts, in an element of an SVG; for `{@attach filledWith(...)}`. */
export function filledWith(body: string): (element: Element) => void {
  return (element) => {
    element.innerHTML = body;
  };
}

# SPDX-License-Identifier: Apache-2.0
"""What of a page lies beside its window, where nobody can scroll to."""

from __future__ import annotations

from playwright.sync_api import Page

UNREACHABLE = """() => {
    const SLACK = 1;
    const scrolls = (box) => /auto|scroll/.test(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth;
    const clips = (box) => /hidden|clip/.test(getComputedStyle(box).overflowX);
    const inside = (one, [left, right]) => one.left >= left - SLACK && one.right <= right + SLACK;

    function isReached(element) {
        let rect = element.getBoundingClientRect();
        let fixed = getComputedStyle(element).position === "fixed";
        for (let box = element.parentElement; box && box !== document.body && !fixed; box = box.parentElement) {
            const frame = box.getBoundingClientRect();
            if (scrolls(box)) rect = frame;
            else if (clips(box) && !inside(rect, [frame.left, frame.right])) return false;
            fixed = getComputedStyle(box).position === "fixed";
        }
        return inside(rect, [0, innerWidth]);
    }

    function isPressed(element) {
        const { width, height } = element.getBoundingClientRect();
        return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: false });
    }

    const page = document.documentElement;
    const found = page.scrollWidth > innerWidth ? [`the page is ${page.scrollWidth} px wide`] : [];
    for (const element of document.querySelectorAll("button, a[href], input, select, textarea, [tabindex='0']")) {
        if (!isPressed(element) || isReached(element)) continue;
        const { left, right } = element.getBoundingClientRect();
        const name = element.ariaLabel || element.innerText.trim() || element.className;
        found.push(`${element.localName} "${name}" at ${Math.round(left)} to ${Math.round(right)} px`);
    }
    return found;
}"""


def unreachable(page: Page) -> list[str]:
    """Controls that lie beside the window or are cut off by what they stand in, and a page wider than its window."""
    return page.evaluate(UNREACHABLE)

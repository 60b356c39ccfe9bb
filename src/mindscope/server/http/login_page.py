# SPDX-License-Identifier: Apache-2.0
"""The page that asks for the token. It is the same at each address, reads no data, and works without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import Scope

from mindscope.reasons import Reason
from mindscope.texts import Value, fill, texts_of

PAGE = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">{reload}
<title>mindscope</title>
<link rel="icon" type="image/svg+xml" href="{up}mark.svg">
<script src="{up}theme.js"></script>
<style>
:root {{ color-scheme: light dark; --ink: light-dark(#1d1f26, #e6e8ee); --soft: light-dark(#595d69, #a4a8b4);
  --paper: light-dark(#f6f7f9, #111318); --card: light-dark(#fff, #1b1e25); --line: light-dark(#868b98, #6d7280);
  --accent: light-dark(#3757c5, #92b1ff); --on-accent: light-dark(#fff, #10131a);
  --bad: light-dark(#b42318, #ff8f85); }}
:root[data-theme="light"] {{ color-scheme: light; }}
:root[data-theme="dark"] {{ color-scheme: dark; }}
html:lang(zh) .en, html:not(:lang(zh)) .zh {{ display: none; }}
body {{ margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper); color: var(--ink);
  font: 400 14px/20px system-ui, sans-serif; }}
main {{ box-sizing: border-box; width: min(400px, calc(100vw - 32px)); padding: 24px; background: var(--card);
  border: 1px solid color-mix(in srgb, var(--line) 40%, transparent); border-radius: 8px; }}
h1 {{ display: flex; align-items: center; gap: 8px; margin: 0 0 16px; font: 600 16px/24px system-ui, sans-serif; }}
p {{ margin: 0 0 16px; color: var(--soft); }}
[role="alert"] {{ color: var(--bad); }}
label {{ display: block; margin-bottom: 4px; font-weight: 600; }}
input, button {{ box-sizing: border-box; width: 100%; height: 36px; padding: 0 12px; border-radius: 6px;
  font: inherit; }}
input {{ margin-bottom: 16px; border: 1px solid var(--line); background: var(--paper); color: inherit; }}
button {{ border: 0; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer; }}
:focus-visible {{ outline: 2px solid var(--accent); outline-offset: 2px; }}
</style>
<main>
<h1><img src="{up}mark.svg" alt="" width="20" height="20">mindscope</h1>
{problem}<p>{how}</p>
<form method="post" action="">
<label for="token">{label}</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus maxlength="200"
 autocapitalize="none" spellcheck="false">
<button type="submit">{send}</button>
</form>
</main>
</html>
"""
WORDS = ("how", "label", "send")


def login_page(scope: Scope, problem: Reason | None) -> HTMLResponse:
    """Return the page for an address, with the reason why a token was refused."""
    headers = Headers(scope=scope)
    # browsers don't send the cookie with the link of another site, but when the page reloads itself
    is_linked = scope["method"] == "GET" and headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
    wait_s = None if problem is None else problem.values.get("seconds")
    words = {name: _in_both("login", name) for name in WORDS}
    page = PAGE.format(
        up="../" * (scope["raw_path"].count(b"/") - 1),  # the browser counts an encoded slash as a letter
        language="zh-CN" if headers.get("accept-language", "").lower().startswith("zh") else "en",
        reload='\n<meta http-equiv="refresh" content="0">' if is_linked and problem is None else "",
        problem="" if problem is None else f'<p role="alert">{_in_both("errors", problem.code, problem.values)}</p>\n',
        **words,
    )
    retry = {} if wait_s is None else {"retry-after": str(wait_s)}
    return HTMLResponse(page, 401 if wait_s is None else 429, retry)


def _in_both(section: str, code: str, values: Mapping[str, Value] = MappingProxyType({})) -> str:
    """Return a text in English and Chinese; a style hides one. Its values are numbers: nothing is escaped."""
    english, chinese = (fill(texts_of("errors", language)[section][code]["text"], values) for language in ("en", "zh"))
    return f'<span class="en" lang="en">{english}</span><span class="zh" lang="zh-CN">{chinese}</span>'

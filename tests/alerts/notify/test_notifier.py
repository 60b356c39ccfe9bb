# SPDX-License-Identifier: Apache-2.0
"""Alerts arrive at real servers, whatever these do, and secrets appear nowhere."""

from __future__ import annotations

import logging
import time
from email import message_from_bytes
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from mindscope.alerts.notify import Notifier, NotifySettings, TargetSettings, read_settings
from mindscope.errors import MindscopeError, MissingPackageError, SettingsError

from .conftest import SECRET, Mailbox, WebhookServer, made_alert

FAST = {"join_s": 0.05, "pause_s": 0.02, "flush_s": 20.0}


def notifier_of(url: str, reports: list[str], environ: dict[str, str] | None = None, **settings: Any) -> Notifier:
    target = TargetSettings(url, "team", **{key: settings.pop(key) for key in ("alerts", "runs") if key in settings})
    return Notifier(NotifySettings((target,), **{**FAST, **settings}), reports.append, environ or {})


@pytest.fixture
def reports() -> list[str]:
    return []


@pytest.fixture(autouse=True)
def nothing_says_the_secret(reports: list[str], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]):
    """Everything that any library logs, at any level, is looked at."""
    caplog.set_level(logging.DEBUG)
    for name in ("urllib3", "requests", "apprise"):
        caplog.set_level(logging.DEBUG, name)
    yield
    said = "".join([*reports, caplog.text, *capfd.readouterr()])
    for text in (SECRET, quote(SECRET, safe=""), *SECRET.split("/")):
        assert text not in said


def test_an_alert_is_a_post_to_a_webhook(webhook: WebhookServer, reports: list[str]):
    notifier = notifier_of(f"json://{webhook.address}/hook", reports, link="http://127.0.0.1:8080")
    notifier.add(made_alert())
    notifier.close()
    ((path, body),) = webhook.requests
    assert (path, body["title"], body["type"]) == ("/hook", "mindscope: nan in a", "failure")
    assert body["message"] == (
        "a: the loss is NaN or infinite (nan, error) at step 7, value nan. http://127.0.0.1:8080/scalars?run=a&at=7"
    )
    assert reports == []


KEYS = {"slack": "T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ", "discord": "1234567890/abcdefghij"}


@pytest.mark.parametrize(
    ("scheme", "attribute", "text_of"),
    [
        ("slack", "webhook_url", lambda body: body["attachments"][0]["text"]),
        (
            "discord",
            "notify_url",
            lambda body: body["embeds"][0]["description"] if "embeds" in body else body["content"],
        ),
        ("feishu", "notify_url", lambda body: body["content"]["text"]),
        ("dingtalk", "notify_url", lambda body: body["text"]["content"]),
        ("wecombot", "notify_url", lambda body: body["text"]["content"]),
    ],
    ids=["slack", "discord", "feishu", "dingtalk", "wecom"],
)
def test_chats_get_their_own_payloads(
    webhook: WebhookServer,
    reports: list[str],
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
    attribute: str,
    text_of: Any,
):
    """The addresses of the services are constants of Apprise; here they are those of a server on the loopback."""
    import apprise

    key = {"slack": "T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ", "discord": "1234567890/abcdefghij"}.get(
        scheme, "0a1b2c3d4e"
    )
    plugin = type(apprise.Apprise.instantiate(f"{scheme}://{key}"))
    constant = str(getattr(plugin, attribute))
    path = "/" + "/".join(constant.split("/")[3:])
    monkeypatch.setattr(plugin, attribute, f"http://{webhook.address}{path}")
    monkeypatch.setattr(plugin, "request_rate_per_sec", 0)
    notifier = notifier_of(f"{scheme}://$CHAT_KEY", reports, {"CHAT_KEY": key})
    notifier.add(made_alert())
    notifier.close()
    assert reports == []
    ((_, body),) = webhook.requests
    assert "a: the loss is NaN or infinite (nan, error) at step 7" in text_of(body)


@pytest.mark.parametrize(
    "failures", [[500, 500, 200], [503, "reset", 200], ["reset", 200]], ids=["500", "both", "reset"]
)
def test_a_failing_target_is_tried_again(webhook: WebhookServer, reports: list[str], failures: list[int | str]):
    webhook.answers = list(failures)
    notifier = notifier_of(f"json://{webhook.address}", reports)
    notifier.add(made_alert())
    notifier.close()
    assert len(webhook.requests) == len(failures)
    assert reports == []


@pytest.mark.parametrize(
    ("answer", "reason"), [(500, "HTTP 500"), (404, "HTTP 404"), ("reset", "no connection or no answer")]
)
def test_a_target_that_stays_broken_is_reported_once(
    webhook: WebhookServer, reports: list[str], answer: int | str, reason: str
):
    webhook.answers = [answer]
    notifier = notifier_of(
        f"json://ann:$HOOK_PASSWORD@{webhook.address}", reports, {"HOOK_PASSWORD": SECRET}, attempts=2
    )
    for step in range(3):
        notifier.add(made_alert(run=f"r{step}"))
        webhook.wait_for(2 * step + 1)
        time.sleep(0.2)
    notifier.close()
    assert reports == [f"team does not take notifications ({reason}); the watch continues."]


def test_one_target_does_not_delay_or_confuse_another(webhook: WebhookServer, reports: list[str]):
    webhook.answers = [404]
    targets = (TargetSettings(f"json://{webhook.address}", "broken"), TargetSettings("json://127.0.0.1:1", "closed"))
    notifier = Notifier(NotifySettings(targets, **{**FAST, "attempts": 1}), reports.append, {})
    notifier.add(made_alert())
    notifier.close()
    assert sorted(reports) == [
        "broken does not take notifications (HTTP 404); the watch continues.",
        "closed does not take notifications (no connection or no answer); the watch continues.",
    ]


def test_a_server_that_never_answers_does_not_hold_the_watch(webhook: WebhookServer, reports: list[str]):
    webhook.answers = ["slow"]
    notifier = notifier_of(f"json://{webhook.address}/$HOOK", reports, {"HOOK": SECRET}, attempts=1)
    started = time.monotonic()
    notifier.add(made_alert())
    assert time.monotonic() - started < 0.1
    webhook.wait_for(1)
    notifier.close(0.2)
    assert time.monotonic() - started < 3
    assert reports == ["1 alert was not sent to team before the end of the watch."]


def test_alerts_in_a_burst_are_one_message(webhook: WebhookServer, reports: list[str]):
    notifier = notifier_of(f"json://{webhook.address}", reports, join_s=0.3)
    for number in range(1500):
        notifier.add(made_alert(run=f"r{number}"))
    notifier.close()
    ((_, body),) = webhook.requests
    assert body["title"] == "mindscope: 1500 alerts in 1000 runs"
    lines = body["message"].splitlines()
    assert len(lines) == 21
    assert lines[-1] == "1480 more; mindscope watch prints all."


def test_repeated_alerts_are_quiet_for_a_time(webhook: WebhookServer, reports: list[str]):
    notifier = notifier_of(f"json://{webhook.address}", reports, quiet_s=0.4)
    for step in range(5):
        notifier.add(made_alert(step=step))
    webhook.wait_for(1)
    time.sleep(0.6)
    notifier.add(made_alert(step=9))
    notifier.add(made_alert(step=9, rule="spike"))
    notifier.close()
    assert [body["message"].count("at step") for _, body in webhook.requests] == [1, 2]


def test_a_target_takes_only_its_alerts_and_runs(webhook: WebhookServer, reports: list[str]):
    notifier = notifier_of(f"json://{webhook.address}", reports, alerts=("na*", "failed"), runs=("big/*",))
    for rule, run in (("nan", "big/a"), ("spike", "big/a"), ("nan", "small/a")):
        notifier.add(made_alert(rule=rule, run=run))
    notifier.close()
    ((_, body),) = webhook.requests
    assert body["title"] == "mindscope: nan in big/a"


def test_a_log_calls_nobody_and_adds_no_line(webhook: WebhookServer, reports: list[str]):
    notifier = notifier_of(f"json://{webhook.address}", reports)
    notifier.add(made_alert(run="@everyone\nSubject: x\x1b[1m", message="<!channel> $link ${run}"))
    notifier.close()
    ((_, body),) = webhook.requests
    assert "@everyone" not in body["message"] + body["title"]
    assert "<!channel>" not in body["message"]
    assert "$link ${run}" in body["message"]
    assert "\n" not in body["title"]
    assert len(body["message"].splitlines()) == 1


def test_a_mail_arrives_with_a_password_of_the_environment(mail: tuple[Mailbox, int], reports: list[str]):
    mailbox, port = mail
    url = f"mailtos://ann:$MAIL_PASSWORD@127.0.0.1:{port}?mode=starttls&verify=no&cto=2&rto=2&from=ann@example.com&to=bob@example.com"
    notifier = notifier_of(url, reports, {"MAIL_PASSWORD": SECRET})
    notifier.add(made_alert())
    notifier.close()
    assert reports == []
    (envelope,) = mailbox.mails
    assert (envelope.mail_from, envelope.rcpt_tos) == ("ann@example.com", ["bob@example.com"])
    parsed = message_from_bytes(envelope.content)
    assert parsed["Subject"] == "mindscope: nan in a"
    part = next(part for part in parsed.walk() if part.get_content_maintype() == "text")
    assert b"the loss is NaN or infinite" in part.get_payload(decode=True)


def test_a_wrong_password_of_a_mail_server_is_no_secret(mail: tuple[Mailbox, int], reports: list[str]):
    mailbox, port = mail
    url = f"mailtos://bob:$MAIL_PASSWORD@127.0.0.1:{port}?mode=starttls&verify=no&cto=2&rto=2&from=ann@example.com&to=bob@example.com"
    notifier = notifier_of(url, reports, {"MAIL_PASSWORD": SECRET}, attempts=1)
    notifier.add(made_alert())
    notifier.close()
    assert mailbox.mails == []
    (report,) = reports
    assert report.startswith("team does not take notifications (")


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("$MISSING", "team needs the variable MISSING of the environment"),
        ("nope://x", "team has no address that Apprise knows"),
        (f"json://ann:{quote(SECRET, safe='')}@127.0.0.1", "team has a secret in its address"),
        (f"json://127.0.0.1/?+X-Token={quote(SECRET, safe='')}", "team has a secret in its address"),
        ("slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ", "team has a secret in its address"),
        (f"slack://{quote(SECRET, safe='')}", "team has no address that Apprise knows"),
    ],
    ids=["variable", "scheme", "password", "header", "token", "malformed"],
)
def test_an_address_is_refused_without_being_said(reports: list[str], url: str, text: str):
    with pytest.raises(SettingsError, match=text):
        notifier_of(url, reports)


def test_without_apprise_its_name_is_said(reports: list[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "apprise", None)
    with pytest.raises(MissingPackageError, match=r"need Apprise, which is not installed. .*mindscope\[notify\]"):
        notifier_of("json://127.0.0.1", reports)


DESKTOP_PROGRAM = """#!/bin/sh
for part in "$@"; do printf '%s\\n' "$part" >> "$NOTICES"; done
"""


@pytest.mark.parametrize("program", ["notify-send", "osascript"])
def test_the_desktop_shows_a_notice(tmp_path: Path, reports: list[str], monkeypatch: pytest.MonkeyPatch, program: str):
    """The program of the desktop, which a machine of tests does not have, writes down its arguments."""
    (tmp_path / program).write_text(DESKTOP_PROGRAM)
    (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("NOTICES", str(tmp_path / "notices"))
    notifier = notifier_of("desktop", reports)
    notifier.add(made_alert(run="-x <b>"))
    notifier.close()
    lines = (tmp_path / "notices").read_text().splitlines()
    assert lines[lines.index("--") + 1] == "mindscope: nan in -x <b>"
    assert lines[-1].startswith("-x &lt;b&gt;:" if program == "notify-send" else "-x <b>:")
    assert reports == []


def test_a_machine_without_a_desktop_says_so(tmp_path: Path, reports: list[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingsError, match="team needs notify-send or osascript"):
        notifier_of("desktop", reports)


SETTINGS = """
targets:
  - {url: "json://127.0.0.1/$HOOK", name: team, alerts: [nan, failed], runs: "big/*"}
  - {url: desktop}
title: "$severity: $alert"
template: "$run $$ $step"
link: http://127.0.0.1:8080
quiet_s: 60
"""


def test_a_file_has_targets_and_settings(tmp_path: Path):
    (tmp_path / "notify.yaml").write_text(SETTINGS)
    settings = read_settings([str(tmp_path / "notify.yaml"), "json://127.0.0.1"])
    assert settings.targets == (
        TargetSettings("json://127.0.0.1/$HOOK", "team", ("nan", "failed"), ("big/*",)),
        TargetSettings("desktop", f"{tmp_path / 'notify.yaml'}, target 2"),
        TargetSettings("json://127.0.0.1", "--notify 1"),
    )
    assert (settings.quiet_s, settings.link, settings.join_s) == (60, "http://127.0.0.1:8080", 2.0)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("targets: [", "is no YAML in UTF-8"),
        ("[]", "is no table of settings"),
        ("{targets: {}}", "targets is no list"),
        ("{targets: [{name: x}]}", "url is required"),
        ("{targets: [{url: desktop, runs: [1]}]}", "runs is no text and no list of texts"),
        ("{tagets: []}", "has no setting 'tagets'"),
        ("{title: $nope}", r"title can't fill '\$nope'; its fields are \$run, \$alert"),
        ("{template: $}", "template can't fill"),
        ("{link: 'ftp://x'}", "link is no address of a viewer"),
        ("{link: 'http://ann:pw@x'}", "without a user"),
        ("{quiet_s: .nan}", "quiet_s is no number"),
        ("{attempts: 0}", "attempts is 0, want 1 to 20"),
        ("{join_s: -1}", "join_s is -1, want 0 to 3600"),
    ],
    ids=str,
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, text: str, want: str):
    (tmp_path / "notify.yaml").write_text(text)
    with pytest.raises(MindscopeError, match=want) as refused:
        read_settings([str(tmp_path / "notify.yaml")])
    assert "notify.yaml" in str(refused.value)

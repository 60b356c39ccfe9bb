# SPDX-License-Identifier: Apache-2.0
"""Secrets are masked in code, settings and differences of git; texts without secrets stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.capture.masking.masked_text import is_secret_file, mask_diff, mask_text

SECRET = "hunter2-x9Zq"
RANDOM = "9f86d081884c7d659a2feaa0c55ad015"
SERVICES = [
    "hf_AbCdEf0123456789", "ghp_AbCdEf0123456789", "github_pat_11ABCDEFG0abcdef", "glpat-AbCdEf0123456789",
    "sk-proj-AbCdEf0123456789", "sk_live_AbCdEf0123456789", "xoxb-1234567890-abcdef", "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE", "LTAI5tAbCdEf012345", "AKIDz8krbsJ5yKBZQpn74WFkmLPx3",
    "AIzaSyA1234567890abcdefghijklmnopqrst",
    "ya29.a0AfH6SMBabcdef-0123456789", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "dapi0123456789abcdef0123456789abcdef", "r8_AbCdEf0123456789AbCdEf", "gsk_AbCdEf0123456789AbCdEf",
    "nvapi-AbCdEf0123456789AbCdEf", "xai-AbCdEf0123456789AbCdEf", "pplx-AbCdEf0123456789AbCdEf",
    "ms-01234567-89ab-cdef-0123-456789abcdef", "wandb_v1_AbCdEf0123456789AbCdEf", "pypi-" + "AgEIcHlwaS5vcmc" * 3,
]  # fmt: skip


@pytest.mark.parametrize("text", [
    f'password = "{SECRET}"', f"API_KEY = '{SECRET}'", f'os.environ["WANDB_API_KEY"] = "{SECRET}"',
    f'os.environ.setdefault("HF_TOKEN", "{SECRET}")', f'login(token="{SECRET}")', f'password: str = "{SECRET}"',
    f'parser.add_argument("--api-key", type=str, default="{SECRET}")', f'{{"secret": "{SECRET}"}}',
    f'client_secret=r"{SECRET}"', f'"source": ["token = \\"{SECRET}\\"\\n"]', f'url = "https://me:{SECRET}@host/x"',
    f'headers = {{"Authorization": "Bearer {SECRET}"}}', f'passwd = """{SECRET}"""', f'wandb.login(key="{RANDOM}")',
    f'self.db_password="{SECRET}"', f'config.auth_token = "{SECRET}"', f'jwt = "{SECRET}"',
    f"requests.get('https://{SECRET}@h')",
    f'AccountKey={RANDOM}==;', f'dict(aws_secret_access_key="{SECRET}")',
])  # fmt: skip
def test_secrets_in_code_are_masked(text: str) -> None:
    shown, count = mask_text(f"a = 1\n{text}\nb = 2\n", "train.py")
    assert SECRET not in shown
    assert RANDOM not in shown
    assert count == 1
    assert shown.startswith("a = 1\n")
    assert shown.endswith("\nb = 2\n")


@pytest.mark.parametrize("text", [
    f"password: {SECRET}", f"hf_token: {SECRET}", f"token: {SECRET}", f"wandb:\n  api_key: {SECRET}",
    f"aws_secret_access_key = {SECRET}", f"  - DB_PASS={SECRET}", f"secretKey: '{SECRET}'", f"key: {RANDOM}",
    f"export HF_TOKEN={SECRET}", f"python t.py --password {SECRET} --lr 1",
    f"curl -H 'Authorization: Basic {SECRET}'",
    f'{{"lr": 1, "api_key": "{SECRET}", "x": 2}}', f'{{"token":"{SECRET}"}}',
])  # fmt: skip
@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.ini", "run.sh", "Dockerfile"])
def test_secrets_in_settings_are_masked_without_quotes_too(text: str, name: str) -> None:
    shown, count = mask_text(text, name)
    assert SECRET not in shown
    assert RANDOM not in shown
    assert count == 1


@pytest.mark.parametrize("token", SERVICES)
@pytest.mark.parametrize("name", ["train.py", "a.yaml"])
def test_tokens_of_services_are_masked_by_their_form(token: str, name: str) -> None:
    assert mask_text(f"x = run('{token}', 3)\n", name) == ("x = run('MASKED', 3)\n", 1)


@pytest.mark.parametrize("text", [
    "token_embedding=512", "keyboard = 'us'", "key = jax.random.PRNGKey(0)", "for key, value in d.items():",
    'key, token = "abc", "def"', 'tokenizer = AutoTokenizer.from_pretrained("gpt2")', "sort(key=len)",
    'd["key"] = value',
    "self.key = nn.Linear(d, d)", 'pad_token="<pad>"', 'tok.add_special_tokens({"pad_token": "[PAD]"})',
    'eos_token="</s>"',
    'token = "the"', 'password = os.environ["PASSWORD"]', "api_key=args.api_key",
    'secret = getpass.getpass("Secret: ")',
    "token = None", 'password: str = "none"', 'forward_pass = "first"', "pass", "hf_hub_download(repo_id='x')",
    'commit = "da39a3ee5e6b4b0d3255bfef95601890afd80709"', "# the basic training loop of bearer bonds",
    "key_padding_mask=mask",
    'monitor="val_loss"', 'author="me"', 'tokens = text.split(" ")',
    'state["model.layers.0.self_attn.k_proj.weight"]',
    'image_key: str = "image"', 'sort_key = "loss"',
    'parser.add_argument("--tokenizer", default="bert-base-uncased")',
    "token_type_ids", '"key": "layer1_attention_output_2"', "ssh://git@github.com/a/b.git", 'keys = ["a", "b"]',
    'd.get("key", "value")', 'if token == "<s>":', 'GITHUB_TOKEN = "GITHUB_TOKEN"', '("password", "passwd")',
    'ROOT_NODE_KEY = "root_module"', "task = 'glue-stsb-regression-1'", 'api_key = "${API_KEY}"',
    'token = f"{name}_x"',
])  # fmt: skip
def test_code_without_secrets_stays(text: str) -> None:
    assert mask_text(text, "train.py") == (text, 0)


@pytest.mark.parametrize("text", [
    "max_new_tokens: 128", "num_key_value_heads: 8", "tokenizer: gpt2", "pad_token: <pad>", "pad_token_id: 0",
    "key: loss",
    "monitor_key: val_loss", "hotkey: ctrl+c", "token_embedding: 512", "password: ${DB_PASSWORD}", "password: null",
    "password_file: /run/secrets/x", "keyboard: us", "max_tokens: 4096", "attention: flash", "author: someone",
    "pass: 1",
    "sha: da39a3ee5e6b4b0d3255bfef95601890afd80709", "image_token: image", "keys: [a, b]", "wandb_project: x",
    "python train.py --max-tokens 512 --tokenizer gpt2 --key loss", "secret_name: wandb", "key_dim: 64",
])  # fmt: skip
def test_settings_without_secrets_stay(text: str) -> None:
    assert mask_text(text, "a.yaml") == (text, 0)


def test_private_keys_are_masked_over_lines() -> None:
    body = "MIIEpAIBAAKCAQEA\n" * 20
    text = f'key = """-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----"""\nlr = 1\n'
    shown, count = mask_text(text, "train.py")
    assert "MIIE" not in shown
    assert shown.endswith("lr = 1\n")
    assert count == 1


DIFF = f"""diff --git a/train.py b/train.py
index 257cc56..5716ca5 100644
--- a/train.py
+++ b/train.py
@@ -1,2 +1,3 @@
-token = tokens[0]
+api_key = "{SECRET}"
+key = value1
diff --git a/conf/base.yaml b/conf/base.yaml
index 257cc56..5716ca5 100644
--- a/conf/base.yaml
+++ b/conf/base.yaml
@@ -1 +1,2 @@
-password: {SECRET}
+max_tokens: 128
diff --git a/.env b/.env
index 257cc56..5716ca5 100644
--- a/.env
+++ b/.env
@@ -1 +1 @@
-ANYTHING={SECRET}
+ANYTHING=a plain word
"""


@pytest.mark.parametrize(("name", "text", "want"), [
    ("a.json", '{"passwords": ["%s", "%s"], "x": 1}', '{"passwords": ["MASKED", "MASKED"], "x": 1}'),
    ("a.json", '{"api_keys": [\n  "%s"\n], "x": 1}', '{"api_keys": [\n  "MASKED"\n], "x": 1}'),
    ("a.json", '{"passwords": {"a": "%s"}}', '{"passwords": {"a": "MASKED"}}'),
    ("a.py", 'secrets = ("%s",)\nb = ["%s"]', 'secrets = ("MASKED",)\nb = ["%s"]'),
    ("a.toml", 'secret = """%s\n%s"""\nb = 1', 'secret = """MASKED"""\nb = 1'),
    ("a.yaml", "passwords: [%s, %s]\nb: [%s]", "passwords: [MASKED, MASKED]\nb: [%s]"),
    ("a.yaml", "a:\n  secret: |\n    %s\n\n    %s\n  b: 1", "a:\n  secret: |\n    MASKED\n  b: 1"),
    ("a.yaml", "passwords:\n- %s\n- %s\nb:\n- %s", "passwords:\n- MASKED\n- MASKED\nb:\n- %s"),
    ("a.yaml", "tokens:\n  - <s>\n  - word\n", "tokens:\n  - <s>\n  - word\n"),
    ("a.py", 'tokens = ["<s>", "the"]\nkeys = ["a1", "b"]', 'tokens = ["<s>", "the"]\nkeys = ["a1", "b"]'),
    ("a.py", 'secret = get("a", ["x"])\npassword = """${X}"""', 'secret = get("a", ["x"])\npassword = """${X}"""'),
    ("a.json", '{"password_lengths": [1, 2], "secrets": []}', '{"password_lengths": [1, 2], "secrets": []}'),
    ("a.py", 'u = "https://h/x?token=AhGyJvIRX7zl1V3Uy18J&q=1"', 'u = "https://h/x?token=MASKED&q=1"'),
    ("a.py", 'u = f"https://h?token={token}&key=validation_loss"', 'u = f"https://h?token={token}&key=validation_loss"'),
    ("a.py", 'h = "https://hooks.slack.com/services/T0/B0/EUe28zYU49c"', 'h = "https://hooks.slack.com/services/MASKED"'),
])  # fmt: skip
def test_values_of_several_lines_or_items_are_masked(name: str, text: str, want: str) -> None:
    shown, count = mask_text(text.replace("%s", SECRET), name)
    assert shown == want.replace("%s", SECRET)
    assert count == want.count("MASKED")


def test_each_file_of_a_difference_is_masked_by_its_name() -> None:
    shown, count = mask_diff(DIFF)
    assert SECRET not in shown
    assert "plain word" not in shown
    assert "-token = tokens[0]\n" in shown
    assert "+key = value1\n" in shown
    assert "+max_tokens: 128\n" in shown
    assert shown.count("index 257cc56..5716ca5 100644") == 3
    assert count == 4
    assert shown.count("\n") == DIFF.count("\n")


@pytest.mark.parametrize(("name", "want"), [
    (".env", True), ("a/.env.local", True), ("id_rsa", True), ("tls/server.pem", True), ("credentials.json", True),
    ("secrets.yaml", True), ("my-service-account-1.json", True), ("train.py", False), ("environment.yml", False),
    ("secretary.yaml", False), ("config.json", False), ("keys.py", False),
])  # fmt: skip
def test_names_of_files_of_secrets(name: str, want: bool) -> None:
    assert is_secret_file(name) == want


def test_a_line_that_is_too_long_to_search_is_left_out() -> None:
    shown, _ = mask_text(f'a = 1\ntoken = "{SECRET}"' + "x" * 30_000 + "\nb = 2\n", "a.py")
    assert SECRET not in shown
    assert shown.startswith("a = 1\n[30")
    assert shown.endswith(" characters left out]\nb = 2\n")


@given(st.text(max_size=400))
def test_any_text_can_be_masked(text: str) -> None:
    assert mask_text(text, "a.yaml").masked >= 0
    assert mask_diff(text).masked >= 0


@given(
    st.text("abcdefghijklmnopqrstuvwxyz0123456789-_", min_size=6, max_size=40).filter(lambda text: text.strip("-_x"))
)
def test_no_password_survives(secret: str) -> None:
    value = f"q7{secret}"
    for text in (f'password = "{value}"', f"db_password='{value}'", f'{{"password": "{value}"}}'):
        assert value not in mask_text(text, "train.py").text

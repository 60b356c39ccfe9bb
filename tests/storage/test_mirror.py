# SPDX-License-Identifier: Apache-2.0
"""A mirror holds what the store holds: nothing is lost and nothing is read twice, whatever fails."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from mindscope.errors import StorageError
from mindscope.reasons import reason_of
from mindscope.storage import copying
from mindscope.storage.addresses import remote_address
from mindscope.storage.mirror import Mirror, MirrorRules
from mindscope.storage.opening import open_storage
from mindscope.storage.storage import ObjectReplacedError, StoredObject
from tests.storage.conftest import Bucket, Fault, Proxy, cut, delay, first, is_list, is_object, reset, status, without

LOG = bytes(range(256)) * 100
"""25 kB."""


def rules(largest: int = 1 << 20) -> MirrorRules:
    return MirrorRules(lambda name: name.endswith(".log"), lambda name: name.endswith(".log"), largest)


def mirror_of(bucket: Bucket, root: Path, prefix: str = "runs", largest: int = 1 << 20) -> Mirror:
    address = remote_address(f"{bucket.address}/{prefix}")
    assert address is not None
    return Mirror(address, open_storage(address), root, rules(largest))


def files(mirror: Mirror) -> dict[str, bytes]:
    root = mirror.directory
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def ranges(proxy: Proxy, part: str = "") -> list[str]:
    return [request.range.removeprefix("bytes=") for request in proxy.requests if is_object(part)(request)]


def test_it_holds_all_objects_and_asks_for_each_once(bucket: Bucket, proxy: Proxy, tmp_path: Path) -> None:
    want = {f"a{number}/x.log": LOG[: number * 100] for number in range(20)} | {
        "a1/c/deep.json": b"{}",
        "empty.log": b"",
    }
    for path, body in want.items():
        bucket.put(f"runs/{path}", body)
    bucket.put("runs2/other.log", b"no")
    mirror = mirror_of(bucket, tmp_path)
    synced = mirror.sync()
    assert files(mirror) == want
    assert synced.changed == want.keys()
    assert synced.pages == proxy.lists == 1
    assert len(proxy.of("GET")) <= 1 + len(want)
    assert proxy.of("HEAD") == []
    proxy.clear()
    assert mirror.sync().changed == frozenset()
    assert len(proxy.requests) == proxy.lists == 1
    proxy.clear()
    again = mirror_of(bucket, tmp_path)
    assert again.sync().changed == frozenset()
    assert len(proxy.requests) == 1


def test_pages_are_listed_in_turn(bucket: Bucket, proxy: Proxy, tmp_path: Path) -> None:
    for number in range(45):
        bucket.put(f"runs/{number:02}", b"")
    proxy.page_objects = 10
    proxy.faults.append(Fault(lambda request: "continuation" in request.path, cut, times=2))
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    assert len(files(mirror)) == 45
    assert 5 <= proxy.lists <= 9


def test_only_the_new_bytes_of_a_log_are_read(bucket: Bucket, proxy: Proxy, tmp_path: Path) -> None:
    bucket.put("runs/a/x.log", LOG)
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    inode = (mirror.directory / "a" / "x.log").stat().st_ino
    proxy.clear()
    bucket.put("runs/a/x.log", LOG + b"more")
    assert mirror.sync("a").changed == {"a/x.log"}
    assert files(mirror) == {"a/x.log": LOG + b"more"}
    assert ranges(proxy) == [f"{len(LOG) - copying.TAIL_BYTES}-{len(LOG) + 3}"]
    assert (mirror.directory / "a" / "x.log").stat().st_ino == inode


@pytest.mark.parametrize("body", [b"other" + LOG, LOG[:-5], LOG[:-1] + b"!" + b"more", b"x" * len(LOG), b""])
def test_a_replaced_object_is_another_file(bucket: Bucket, tmp_path: Path, body: bytes) -> None:
    bucket.put("runs/a/x.log", LOG)
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    with (mirror.directory / "a" / "x.log").open("rb") as before:
        bucket.put("runs/a/x.log", body)
        mirror.sync()
        assert files(mirror) == {"a/x.log": body}
        assert before.read() == LOG


def test_an_object_that_is_replaced_while_it_is_read_is_never_mixed(
    bucket: Bucket, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "CHUNK_BYTES", 1000)
    for name in ("x.log", "x.json"):
        bucket.put(f"runs/{name}", LOG)
        proxy.faults.append(Fault(is_object(name), lambda answer: answer, times=5))
        proxy.faults.append(Fault(is_object(name), first(lambda name=name: bucket.put(f"runs/{name}", LOG[::-1] * 2))))
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    assert files(mirror) == {"x.log": LOG[::-1] * 2, "x.json": LOG[::-1] * 2}


def test_an_object_that_grows_while_it_is_read_is_read_on(
    bucket: Bucket, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "CHUNK_BYTES", 5000)
    bucket.put("runs/x.log", LOG)
    proxy.faults += [
        Fault(is_object("x.log"), lambda answer: answer, times=3),
        Fault(is_object("x.log"), first(lambda: bucket.put("runs/x.log", LOG + LOG))),
    ]
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    assert files(mirror) == {"x.log": LOG + LOG}
    assert len([each for each in ranges(proxy) if each.startswith("0-")]) == 1


@pytest.mark.parametrize("fault", [status(500), status(503), reset, cut, delay(0.3)], ids=lambda fault: fault.__name__)
@pytest.mark.parametrize("what", [is_list, is_object("x")], ids=["list", "object"])
def test_what_fails_for_a_moment_is_tried_again(bucket: Bucket, proxy: Proxy, tmp_path: Path, fault, what) -> None:
    bucket.put("runs/x.log", LOG)
    bucket.put("runs/x.json", LOG)
    proxy.faults.append(Fault(what, fault, times=2))
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    assert files(mirror) == {"x.log": LOG, "x.json": LOG}
    assert mirror.problems == ()
    assert len(proxy.requests) <= 6


def test_an_object_that_fails_for_long_costs_only_itself(bucket: Bucket, proxy: Proxy, tmp_path: Path) -> None:
    bucket.put("runs/a.log", LOG)
    bucket.put("runs/b.log", LOG)
    proxy.faults.append(Fault(is_object("a.log"), status(403), times=1))
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    assert files(mirror) == {"b.log": LOG}
    ((address, reason),) = mirror.problems
    assert (address, reason.code) == (f"{bucket.address}/runs/a.log", "storage_failed")
    assert "c0ffee" not in reason
    proxy.clear()
    mirror.sync()
    assert ranges(proxy) == []
    mirror._waits["a.log"] = (0.0, 5.0)
    mirror.sync()
    assert files(mirror) == {"a.log": LOG, "b.log": LOG}
    assert mirror.problems == ()


def test_a_listing_that_is_short_deletes_nothing(bucket: Bucket, proxy: Proxy, tmp_path: Path) -> None:
    for name in ("a/x.log", "b/x.log", "c/x.log"):
        bucket.put(f"runs/{name}", LOG)
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    proxy.clear()
    proxy.faults.append(Fault(is_list, without("runs/b/x.log")))
    assert mirror.sync().changed == frozenset()
    assert len(files(mirror)) == 3
    bucket.delete("runs/b/x.log")
    assert mirror.sync().changed == {"b/x.log"}
    assert files(mirror).keys() == {"a/x.log", "c/x.log"}
    assert not (mirror.directory / "b").exists()
    assert ranges(proxy) == []


def test_a_store_that_can_not_be_listed_changes_nothing(bucket: Bucket, proxy: Proxy, tmp_path: Path) -> None:
    bucket.put("runs/x.log", LOG)
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    proxy.faults.append(Fault(is_list, status(403), times=99))
    with pytest.raises(StorageError) as refused:
        mirror.sync()
    assert reason_of(refused.value).code == "storage_failed"
    assert files(mirror) == {"x.log": LOG}


def test_large_objects_are_named_and_left_unless_they_are_logs(bucket: Bucket, proxy: Proxy, tmp_path: Path) -> None:
    bucket.put("runs/x.log", LOG)
    bucket.put("runs/model.pt", LOG)
    mirror = mirror_of(bucket, tmp_path, largest=1000)
    mirror.sync()
    mirror.sync()
    assert files(mirror).keys() == {"x.log"}
    assert [(address.rpartition("/")[2], reason.code) for address, reason in mirror.problems] == [
        ("model.pt", "object_large")
    ]
    assert ranges(proxy, "model") == []


@pytest.mark.parametrize(
    "key", ["a/../../../evil.log", "a//x.log", "a/./x.log", "a/b\\c.log", "a/" + "n" * 300, "a/x.log/y.log"]
)
def test_names_that_lead_elsewhere_cost_only_themselves(bucket: Bucket, tmp_path: Path, key: str) -> None:
    bucket.put("runs/a/x.log", LOG)
    bucket.put("runs/b/x.log", LOG)
    bucket.put(f"runs/{key}", b"evil")
    mirror = mirror_of(bucket, tmp_path / "deep" / "cache")
    mirror.sync()
    assert files(mirror)["b/x.log"] == LOG
    assert len(mirror.problems) == 1
    assert not list(tmp_path.rglob("evil*"))


def test_a_file_that_gives_way_to_a_directory(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("runs/a", LOG)
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    bucket.delete("runs/a")
    bucket.put("runs/a/x.log", LOG)
    mirror.sync()
    assert files(mirror) == {"a/x.log": LOG}
    bucket.delete("runs/a/x.log")
    bucket.put("runs/a", LOG)
    mirror.sync()
    mirror.sync()
    assert files(mirror) == {"a": LOG}


def test_an_object_that_was_below_others_for_a_while_is_copied_again(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("runs/a", LOG)
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    bucket.put("runs/a/x.log", LOG)
    mirror.sync()
    assert files(mirror) == {"a/x.log": LOG}
    assert [reason.code for _, reason in mirror.problems] == ["object_and_directory"]
    bucket.delete("runs/a/x.log")
    mirror.sync()
    mirror.sync()
    assert files(mirror) == {"a": LOG}
    assert mirror.problems == ()


def test_files_that_were_changed_or_cut_here_are_read_again(bucket: Bucket, tmp_path: Path) -> None:
    for name in ("a.log", "b.log", "c.json"):
        bucket.put(f"runs/{name}", LOG)
    mirror = mirror_of(bucket, tmp_path)
    mirror.sync()
    os.truncate(mirror.directory / "a.log", 999)  # as a process leaves it that is killed while it writes
    (mirror.directory / "b.log").unlink()
    os.truncate(mirror.directory / "c.json", 0)
    again = mirror_of(bucket, tmp_path)
    again.sync()
    assert files(again) == {"a.log": LOG, "b.log": LOG, "c.json": LOG}


def test_a_damaged_state_is_made_again(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("runs/a.log", LOG)
    mirror_of(bucket, tmp_path).sync()
    (tmp_path / "objects.sqlite").write_bytes(b"no database" * 1000)
    again = mirror_of(bucket, tmp_path)
    again.sync()
    assert files(again) == {"a.log": LOG}


def test_two_mirrors_of_one_directory_agree(bucket: Bucket, proxy: Proxy, tmp_path: Path) -> None:
    for number in range(30):
        bucket.put(f"runs/{number}.log", LOG)
    mirrors = [mirror_of(bucket, tmp_path) for _ in range(2)]
    threads = [Thread(target=mirror.sync) for mirror in mirrors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(files(mirrors[0])) == 30
    assert set(files(mirrors[0]).values()) == {LOG}
    assert len(ranges(proxy)) == 30


def test_a_range_of_an_object_that_was_replaced_is_refused(bucket: Bucket, proxy: Proxy) -> None:
    bucket.put("runs/x", b"12345")
    address = remote_address(f"{bucket.address}/runs")
    assert address is not None
    storage = open_storage(address)
    object = storage.stat("x")
    assert storage.read_range(object, 1, 3) == b"23"
    for start, stop, etag in ((1, 3, '"other"'), (7, 9, object.etag)):
        with pytest.raises(ObjectReplacedError):
            storage.read_range(StoredObject("x", 9, 0.0, etag), start, stop)
    with pytest.raises(FileNotFoundError):
        storage.stat("y")
    with pytest.raises(FileNotFoundError):
        storage.read_range(StoredObject("y", 9, 0.0), 0, 2)


def test_credentials_come_from_the_profiles_of_the_user(
    bucket: Bucket, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put("runs/x.log", LOG)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    file = tmp_path / "credentials"
    file.write_text("[lab]\naws_access_key_id = of-a-profile\naws_secret_access_key = x\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    monkeypatch.setenv("AWS_PROFILE", "lab")
    mirror_of(bucket, tmp_path / "root").sync()
    assert {"of-a-profile" in request.authorization for request in proxy.requests} == {True}


def test_obs_is_read_by_its_s3_interface(
    bucket: Bucket, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put("runs/x.log", LOG)
    address = remote_address(f"obs://{bucket.name}/runs")
    assert address is not None
    with pytest.raises(StorageError, match="OBS_ENDPOINT"):
        open_storage(address)
    monkeypatch.setenv("OBS_ENDPOINT", os.environ["AWS_ENDPOINT_URL"])
    monkeypatch.setenv("OBS_ACCESS_KEY_ID", "of-obs")
    monkeypatch.setenv("OBS_SECRET_ACCESS_KEY", "x")
    mirror = Mirror(address, open_storage(address), tmp_path, rules())
    mirror.sync()
    assert files(mirror) == {"x.log": LOG}
    assert {"of-obs" in request.authorization for request in proxy.requests} == {True}


def test_a_stopped_mirror_ends_at_once(bucket: Bucket, proxy: Proxy, tmp_path: Path) -> None:
    for number in range(100):
        bucket.put(f"runs/{number}.log", LOG)
    mirror = mirror_of(bucket, tmp_path)
    proxy.faults.append(Fault(is_object("log"), first(mirror.stop)))
    mirror.sync()
    assert len(proxy.requests) < 30
    again = mirror_of(bucket, tmp_path)
    again.sync()
    assert len(files(again)) == 100

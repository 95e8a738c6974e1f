"""The viewer without a browser: documents, the server's refusals, the self-contained file, the commands."""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_run import add_rich_trial, write_run

from gra_bench.viewer import datasets as viewer_datasets
from gra_bench.viewer.documents import Documents, Missing, as_json, interval
from gra_bench.viewer.page import bundle, self_contained
from gra_bench.viewer.server import ViewerServer, static_files

HOSTILE = '</script><script>window.pwned=1</script><img src=x onerror="window.pwned=1">\u2028\ud83d\x00 --><!--<script> "\'`${1}'
SOURCES = {
    name: body.decode() for name, body in static_files().items() if name.endswith(".js") and "/" not in name
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", trials=24, events=10)


@pytest.fixture
def serve() -> Iterator[Callable[..., ViewerServer]]:
    servers = []

    def start(*folders: Path) -> ViewerServer:
        server = ViewerServer(Documents(list(folders)))
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def ask(
    server: ViewerServer, path: str, *, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    sent = {"Host": f"127.0.0.1:{server.server_port}"} | {k.replace("_", "-"): v for k, v in headers.items()}
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in sent.items():
        connection.putheader(name, value)
    connection.endheaders()
    reply = connection.getresponse()
    made = reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read()
    connection.close()
    return made


# -- documents -----------------------------------------------------------------------------------------------------


def test_the_summary_has_intervals_and_says_what_differs(run: Path, tmp_path: Path) -> None:
    other = write_run(tmp_path / "elsewhere" / "run", trials=24, seed=3)
    manifest = json.loads((other / "manifest.json").read_text())
    (other / "manifest.json").write_text(json.dumps(manifest | {"datasets": {"synthetic": "1" * 64}}))
    found = json.loads(Documents([run, other]).get("summary"))
    assert [r["name"] for r in found["runs"]] == [f"{tmp_path.name}/run", "elsewhere/run"] and found[
        "differ"
    ] == ["synthetic"]
    assert len(found["rows"]) == 8 and {r["run"] for r in found["rows"]} == {0, 1}
    for row in found["rows"]:
        low, high = row["interval"]
        assert 0 <= low <= row["mean"] <= high <= 1


def test_an_interval_is_1_96_standard_errors() -> None:
    assert interval({"mean": 0.5, "stderr": 0.1}) == pytest.approx([0.304, 0.696], abs=1e-4)
    assert interval({"mean": 0.95, "stderr": 0.1})[1] == 1.0  # type: ignore[index]
    assert (
        interval({"mean": 0.5, "stderr": None}) is None and interval({"mean": None, "stderr": None}) is None
    )


def test_a_trial_has_its_events_query_and_datasets(run: Path) -> None:
    result = add_rich_trial(run)
    found = json.loads(Documents([run]).get(f"trial/0/{result['trial']}"))
    assert found["result"] == result and found["query"]["answer"] == ["Scotts Bluff", 639.7]
    assert [m["ref"] for m in found["datasets"]] == ["ds://counties-1", "ds://distances-1"]
    assert [e["kind"] for e in found["events"]][-1] == "trial_finished" and not any(
        "state" in e["data"] for e in found["events"]
    )
    shown = json.loads(Documents([run]).get(f"dataset/0/{result['trial']}/counties-1"))
    assert json.loads(shown["preview"]["text"]) == [{"Scotts Bluff": "Scotts Bluff"}]


def test_other_scores_of_a_trial(run: Path) -> None:
    result = add_rich_trial(run)
    score = {
        "trial": result["trial"],
        "attempt": result["attempt"],
        "benchmark": "synthetic",
        "scorer": "grader",
        "judge": "j",
        "passes": 1,
    }
    rest = {
        "score": 1.0,
        "scoring": {"explanation": "good"},
        "judge_calls": 1,
        "judge_usage": {},
        "judge_cost_usd": "0",
    }
    (run / "scores.jsonl").write_text(
        "".join(json.dumps(score | rest | {"score": value}) + "\n" for value in (0.0, 1.0))
    )
    found = json.loads(Documents([run]).get(f"trial/0/{result['trial']}"))
    assert [(s["scorer"], s["score"]) for s in found["scores"]] == [("grader", 1.0)]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "nothing",
        "trial/0/none",
        "trial/9/x",
        "trial/-1/x",
        "trial/٣/x",
        "dataset/0/none/x",
        "trial/0",
        "summary/x",
    ],
)
def test_unknown_documents(run: Path, path: str) -> None:
    with pytest.raises(Missing):
        Documents([run]).get(path)


def test_json_that_every_browser_reads() -> None:
    text = as_json({"a": float("nan"), "b": [float("inf")], "c": "\ud83d\u2028é"})
    assert json.loads(text) == {"a": None, "b": [None], "c": "\ud83d\u2028é"} and text.isascii()


def test_a_run_without_any_result(tmp_path: Path) -> None:
    found = json.loads(Documents([write_run(tmp_path / "run", trials=0)]).get("summary"))
    assert found["rows"] == []
    assert json.loads(Documents([tmp_path / "run"]).get("trials"))["runs"] == [[]]


# -- what datasets may reach ---------------------------------------------------------------------------------------


def test_links_and_manifests_that_lead_out_are_not_followed(run: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "manifest.json").write_text('{"ref": "ds://stolen", "format": "json", "file": "data.json"}')
    (secret / "data.json").write_text('"very secret"')
    trial = add_rich_trial(run)["trial"]
    folder = run / "workspaces" / trial / "datasets"
    (folder / "linked-1").symlink_to(secret)
    (folder / "file-1").mkdir()
    (folder / "file-1" / "manifest.json").write_text(
        '{"ref": "ds://file-1", "format": "json", "file": "../../../../../secret/data.json"}'
    )
    (folder / "absolute-1").mkdir()
    (folder / "absolute-1" / "manifest.json").write_text(
        json.dumps({"ref": "ds://absolute-1", "format": "json", "file": str(secret / "data.json")})
    )
    (folder / "leaf-1").mkdir()
    (folder / "leaf-1" / "manifest.json").write_text(
        '{"ref": "ds://leaf-1", "format": "json", "file": "data.json"}'
    )
    (folder / "leaf-1" / "data.json").symlink_to(secret / "data.json")
    documents = Documents([run])
    listed = {m["ref"] for m in json.loads(documents.get(f"trial/0/{trial}"))["datasets"]}
    assert "ds://stolen" not in listed and "ds://leaf-1" in listed
    with pytest.raises(Missing):
        documents.get(f"dataset/0/{trial}/linked-1")
    for name in ("file-1", "absolute-1", "leaf-1"):
        assert "very secret" not in documents.get(f"dataset/0/{trial}/{name}")


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "[]",
        "nonsense",
        '{"ref": 5, "summary": [], "columns": 3}',
        '{"format": "no such format", "file": "data.json"}',
    ],
)
def test_manifests_that_are_none(run: Path, broken: str) -> None:
    trial = add_rich_trial(run)["trial"]
    (run / "workspaces" / trial / "datasets" / "counties-1" / "manifest.json").write_text(broken)
    documents = Documents([run])
    json.loads(documents.get(f"trial/0/{trial}"))
    with contextlib.suppress(Missing):
        json.loads(documents.get(f"dataset/0/{trial}/counties-1"))


def test_without_a_base_map_it_goes_on(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gra_core import PluginSelection, Registry

    found = Documents([run])
    found.datasets.__dict__["registry"] = Registry.load(PluginSelection(only=("orchestration",)))
    assert "no base map" in json.loads(found.get("base"))["note"]
    monkeypatch.setattr(viewer_datasets, "MAX_BYTES", 1)
    trial = add_rich_trial(run)["trial"]
    assert json.loads(found.get(f"trial/0/{trial}"))["datasets"] == []


# -- the server ----------------------------------------------------------------------------------------------------


def test_it_serves_the_page_and_its_documents(run: Path, serve: Callable[..., ViewerServer]) -> None:
    server = serve(run)
    for path, kind in (
        ("/", "text/html"),
        ("/app.js", "text/javascript"),
        ("/viewer.css", "text/css"),
        ("/vendor/maplibre-gl.js", "text/javascript"),
        ("/api/summary", "application/json"),
    ):
        status, headers, body = ask(server, path)
        assert (
            status == 200
            and headers["content-type"].startswith(kind)
            and int(headers["content-length"]) == len(body) > 0
        )
        policy = headers["content-security-policy"]
        assert (
            "default-src 'none'" in policy
            and "script-src 'self';" in policy
            and "unsafe" not in policy
            and "http" not in policy
        )
        assert (
            headers["x-content-type-options"] == "nosniff"
            and headers["cross-origin-resource-policy"] == "same-origin"
        )
    status, _, body = ask(server, "/api/summary", method="HEAD")
    assert (status, body) == (200, b"")


def test_it_listens_on_loopback_only(run: Path, serve: Callable[..., ViewerServer]) -> None:
    assert serve(run).server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "",
        "localhost.evil.example:{port}",
        "127.0.0.1:{port}.evil.example",
    ],
)
def test_names_that_were_rebound_are_refused(
    run: Path, serve: Callable[..., ViewerServer], host: str
) -> None:
    server = serve(run)
    for path in ("/", "/api/summary"):
        status, _, body = ask(server, path, Host=host.format(port=server.server_port))
        assert status == 403 and b"synthetic" not in body
    assert ask(server, "/", Host=f"localhost:{server.server_port}")[0] == 200


def test_other_sites_are_refused(run: Path, serve: Callable[..., ViewerServer]) -> None:
    server = serve(run)
    assert ask(server, "/api/summary", Sec_Fetch_Site="cross-site")[0] == 403
    assert ask(server, "/api/summary", Sec_Fetch_Site="same-site")[0] == 403  # another port of this machine
    assert ask(server, "/api/summary", Sec_Fetch_Site="same-origin")[0] == 200
    assert ask(server, "/", Sec_Fetch_Site="cross-site")[0] == 200  # a link to the page


@pytest.mark.parametrize(
    "path",
    ["/../server.py", "/%2e%2e/server.py", "/..%2fserver.py", "//etc/passwd", "/vendor/../../server.py", "/api/../../etc/passwd", "/api/trial/0/..%2f..%2fmanifest.json",
     "/api/dataset/0/{trial}/..%2f..%2f..%2f..%2fmanifest.json", "/api/dataset/0/..%2f{trial}/counties-1", "/api/dataset/0/{trial}/counties-1%00", "/static/app.js", "/manifest.json", "/events.jsonl"],
)  # fmt: skip
def test_nothing_else_is_served(run: Path, serve: Callable[..., ViewerServer], path: str) -> None:
    trial = add_rich_trial(run)["trial"]
    assert ask(serve(run), path.format(trial=trial))[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_it_only_reads(run: Path, serve: Callable[..., ViewerServer], method: str) -> None:
    assert ask(serve(run), "/api/summary", method=method)[0] == 501


def test_a_fault_is_told_without_keys(
    run: Path, serve: Callable[..., ViewerServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "very-secret-1234")
    server = serve(run)

    def fail(path: str) -> str:
        raise RuntimeError("very-secret-1234")

    monkeypatch.setattr(server.documents, "get", fail)
    status, _, body = ask(server, "/api/summary")
    assert status == 500 and b"RuntimeError" in body and b"very-secret" not in body


# -- scripts and the self-contained file ---------------------------------------------------------------------------


def test_text_never_becomes_markup() -> None:
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttributeNS|srcdoc|https?://(?!www\.w3\.org/2000/svg)"
    )
    for name, text in SOURCES.items():
        assert not (found := forbidden.search(text)), f"{name}: {found[0]}"
        assert not re.search(r"""style: ["'`]|style=""", text), (
            f"{name} styles inline, which the policy refuses"
        )


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_bundle_is_one_script_with_every_module() -> None:
    script = bundle()
    assert not re.search(r"^(import|export)\s", script, re.M)
    assert all(f"const ${name.removesuffix('.js')} = (() => {{" in script for name in SOURCES)
    done = subprocess.run(["node", "--check", "-"], input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def parts_of(page: str) -> dict[str, str]:
    found = {}
    for kind, path, text in re.findall(r'<script type="([^"]+)" data-path="([^"]+)">([^<]*)</script>', page):
        found[path] = text if kind == "application/json" else gzip.decompress(base64.b64decode(text)).decode()
    return found


def test_the_file_holds_what_the_server_gives(run: Path) -> None:
    result = add_rich_trial(run, HOSTILE)
    page = "".join(self_contained([run]))
    parts, documents = parts_of(page), Documents([run])
    assert json.loads(parts["summary"]) == documents.summary()
    trials = [f"trial/0/{json.loads(row)[0]}" for row in documents.indexes[0].rows()]
    wanted = {
        "summary",
        "trials",
        "tables/0",
        *trials,
        *(f"dataset/0/{result['trial']}/{name}" for name in ("counties-1", "distances-1")),
    }
    assert set(parts) == wanted  # no map in it, so no map library
    assert all(json.loads(parts[path]) == json.loads(documents.get(path)) for path in wanted)


def test_the_file_runs_its_own_script_and_nothing_else(run: Path) -> None:
    add_rich_trial(run, HOSTILE)
    page = "".join(self_contained([run]))
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.S)
    assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
    assert (
        "default-src 'none'" in policy
        and "http" not in policy
        and page.index("Content-Security-Policy") < page.index("<style>")
    )
    assert "pwned" not in re.sub(r"<script type=.*?</script>", "", page, flags=re.S)
    assert page.count("<script") == page.count("</script>") and "window.pwned=1</script>" not in page
    assert not re.search(r'(src|href)="(?!#|data:)', re.sub(r"<script.*?</script>", "", page, flags=re.S))
    page.encode("utf-8")


def test_what_does_not_fit_is_left_out_and_said(run: Path) -> None:
    told: list[str] = []
    page = "".join(self_contained([run], max_bytes=3000, tell=told.append))
    kept = [path for path in parts_of(page) if path.startswith("trial/")]
    assert 1 <= len(kept) < 24 and told == [
        f"{24 - len(kept)} of 24 trajectories are left out to keep the file below 0 MB"
    ]


# -- commands ------------------------------------------------------------------------------------------------------


def test_report_as_html(run: Path, gra_bench: Callable[..., Any], tmp_path: Path) -> None:
    code, out, _ = gra_bench("report", str(run), "--format", "html")
    assert code == 0 and out.startswith("<!doctype html>") and out.rstrip().endswith("</html>")
    code, _, err = gra_bench("report", str(run), "--format", "html", "--output", str(tmp_path / "r.html"))
    assert code == 0 and (tmp_path / "r.html").read_text() == out and "Written" in err
    code, _, err = gra_bench(
        "report", str(run), "--format", "html", "--output", str(tmp_path / "none" / "r.html")
    )
    assert code == 2 and "No such file" in err
    code, _, err = gra_bench("report", str(run), "--output", str(tmp_path / "r.html"))
    assert code == 2 and "--format html" in err


def test_view_refuses_what_is_no_run(gra_bench: Callable[..., Any], tmp_path: Path) -> None:
    code, _, err = gra_bench("view", str(tmp_path), "--no-browser")
    assert code == 2 and "not a run directory" in err


def test_view_names_a_port_that_is_taken(run: Path, gra_bench: Callable[..., Any]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, _, err = gra_bench("view", str(run), "--no-browser", "--port", str(taken.getsockname()[1]))
    assert code == 2 and "leave it out for a free one" in err


def test_view_serves_until_it_is_interrupted(run: Path) -> None:
    command = [sys.executable, "-m", "gra_bench.cli", "view", str(run), "--no-browser"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        # A suite that runs in the background of a shell hands down an ignored SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        port = int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/", url)[1])  # type: ignore[index]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/api/trials")
        assert len(json.loads(connection.getresponse().read())["runs"][0]) == 24
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0

"""The viewer in a real headless Chromium: what it shows, by mouse, keyboard and screen reader, offline, and against
hostile text. Screenshots stay in the folder `screenshots` of pytest's temporary directory."""

from __future__ import annotations

import json
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "gra_bench" / "tests"))
from synthetic_run import add_rich_trial, write_run

from gra_bench.index import RunIndex
from gra_bench.viewer.documents import Documents
from gra_bench.viewer.page import self_contained
from gra_bench.viewer.server import ViewerServer

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None,
        reason="needs chromium and chromedriver (Debian: chromium, chromium-driver)",
    ),
    pytest.mark.skipif(find_spec("selenium") is None, reason="needs selenium (requirements-dev.txt)"),
]
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1300,950", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip
HOSTILE = '</script><script>window.pwned=1</script><img src=x onerror="window.pwned=1"><svg onload=window.pwned=1> javascript:window.pwned=1 "\'\u2028\ud83d'


class Browser:
    """A browser with what the tests ask of it."""

    def __init__(self, driver: Any, pictures: Path) -> None:
        self.driver, self._pictures = driver, pictures

    def open(self, url: str) -> None:
        """Go to a page and wait until its view is shown."""
        self.driver.get("about:blank")
        self.driver.get(url)
        self.settle()

    def go(self, route: str) -> None:
        """Go to another view of the page that is open."""
        self.run("performance.clearMarks(); location.hash = arguments[0]", route)
        self.settle()

    def settle(self) -> None:
        self.until(
            "performance.getEntriesByName('gra-shown').length > 0 && !document.querySelector('main').hasAttribute('aria-busy')"
        )

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, condition: str, seconds: float = 30) -> Any:
        """Wait for a condition in the page."""
        end = time.monotonic() + seconds
        while not (found := self.run(f"return {condition}")):
            assert time.monotonic() < end, (
                f"never true: {condition}\n{self.run('return document.body.innerText')[:2000]}"
            )
            time.sleep(0.05)
        return found

    def texts(self, selector: str) -> list[str]:
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText)", selector
        )

    def text(self, selector: str = "main") -> str:
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def keys(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def focused(self) -> str:
        return self.run("return document.activeElement.innerText || document.activeElement.id")

    def scheme(self, name: str) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]}
        )

    def picture(self, name: str) -> None:
        self.driver.save_screenshot(str(self._pictures / f"{name}.png"))

    def complaints(self) -> list[str]:
        """What the console says of errors and of the content security policy."""
        return [
            m["message"]
            for m in self.driver.get_log("browser")
            if m["level"] == "SEVERE" or "Content Security Policy" in m["message"]
        ]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield Browser(driver, tmp_path_factory.mktemp("screenshots", numbered=False))
    driver.quit()


@pytest.fixture(autouse=True)
def no_complaints(browser: Browser) -> Iterator[None]:
    browser.scheme("light")
    browser.requests(), browser.complaints()
    yield
    assert browser.complaints() == []


def add_maps(run: Path, trial: str) -> None:
    """Features and a raster of synthetic data in the trial's workspace, written as tools write them."""
    import geopandas as gpd
    import numpy as np
    import rasterio
    import shapely
    from rasterio.transform import from_origin

    from gra_core import Column, Lineage, Registry, Workspace
    from gra_geo.raster import Raster

    folder = run / "workspaces" / trial
    workspace = Workspace(folder, Registry.load().formats)
    zones = gpd.GeoDataFrame(
        {"name": ["West", "East"], "people": [10.0, 30.0]},
        geometry=[shapely.box(-104, 40, -100, 43), shapely.box(-100, 40, -96, 43)],
        crs="EPSG:4326",
    )
    lineage = Lineage(call_id="c1", tool="find_regions", arguments={"parent": "geoId/31"})
    workspace.put(zones, name="zones", columns={"people": Column(unit="persons")}, lineage=lineage)
    with rasterio.open(
        folder / "r.tif",
        "w",
        driver="GTiff",
        height=30,
        width=40,
        count=1,
        dtype="float32",
        crs="EPSG:4326",
        transform=from_origin(-104, 43, 0.2, 0.1),
    ) as data:
        data.write(np.linspace(0, 2000, 1200, dtype="float32").reshape(30, 40), 1)
    workspace.put(Raster.open(folder / "r.tif"), name="heights", lineage=lineage)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_run(tmp_path_factory.mktemp("runs") / "first", trials=240, events=10)
    for configuration in ("gra", "llm-tools"):
        result = add_rich_trial(folder, configuration=configuration)
        if configuration == "gra":
            add_maps(folder, result["trial"])
    return folder


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "second", trials=240, seed=9, events=6)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_run(tmp_path_factory.mktemp("runs") / "hostile", trials=4, model=HOSTILE)
    add_rich_trial(folder, HOSTILE)
    return folder


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., ViewerServer]]:
    servers: list[ViewerServer] = []

    def start(*folders: Path) -> ViewerServer:
        server = ViewerServer(Documents(list(folders)))
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def rich(run: Path, configuration: str = "gra") -> str:
    results = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    return next(
        r["trial"] for r in results if r["attempt"] == "rich0001" and r["configuration"] == configuration
    )


def test_results_and_their_intervals(browser: Browser, run: Path, serve: Callable[..., ViewerServer]) -> None:
    browser.open(serve(run).url)
    rows = [line.split("\t") for line in browser.texts("table.results tbody tr")]
    summary = RunIndex(run).summary()
    assert [row[1].strip() for row in rows] == [s["configuration"] for s in summary]
    assert [row[4].split()[0] for row in rows] == [f"{100 * s['mean']:.1f}" for s in summary]
    intervals = browser.run(
        "return [...document.querySelectorAll('svg.interval')].map((e) => e.getAttribute('aria-label'))"
    )
    low, high = (
        min(1, max(0, summary[0]["mean"] + sign * 1.959964 * summary[0]["stderr"])) for sign in (-1, 1)
    )
    assert intervals[0] == f"95 % interval {100 * low:.1f} to {100 * high:.1f}"
    chart = browser.run("return document.querySelector('svg.scatter').getAttribute('aria-label')")
    assert "score against cost per trial" in chart and f"gra: {100 * summary[3]['mean']:.1f}" in chart
    browser.until("document.querySelector('table.breakdown')")
    assert len(browser.texts("table.breakdown tbody tr")) == 12
    browser.run("const d = document.querySelector('#more ~ details'); d.open = true")
    browser.until("document.querySelector('#more ~ details table')")
    assert "By number of tool types" in browser.text("#more ~ details") and "Saturation" in browser.text(
        "#more ~ details"
    )
    browser.picture("results-light")
    browser.scheme("dark")
    browser.picture("results-dark")


def test_a_filter_a_search_and_an_order(
    browser: Browser, run: Path, serve: Callable[..., ViewerServer]
) -> None:
    browser.open(serve(run).url + "#/trials")
    assert browser.text("#found") == "242 trials" and len(browser.texts("table.trials tbody tr")) == 100
    browser.run(
        "const f = document.getElementById('f-status'); f.value = 'failed'; f.dispatchEvent(new Event('change', {bubbles: true}))"
    )
    failed = sum(json.loads(row)[11] == "failed" for row in RunIndex(run).rows())
    assert (
        browser.text("#found") == f"{failed} trials of 242"
        and browser.text("#live") == f"{failed} trials of 242"
    )
    assert all("failed quota" in row for row in browser.texts("table.trials tbody tr"))
    browser.run("document.querySelector('button[type=reset]').click()")
    browser.run("document.getElementById('q').focus()")
    browser.keys("synthetic-17 gra")
    browser.until("document.getElementById('found').innerText.includes(' of ')")
    assert all("synthetic-17" in row for row in browser.texts("table.trials tbody tr"))
    assert browser.focused() == "q" and "q=synthetic-17" in browser.driver.current_url
    browser.go("#/trials?configuration=gra")
    browser.run("document.querySelector('button[data-sort=cost]').click()")
    costs = [float(row.split("$")[1].split()[0]) for row in browser.texts("table.trials tbody tr")]
    assert (
        costs == sorted(costs)
        and browser.run("return document.querySelector('th[aria-sort]').getAttribute('aria-sort')")
        == "ascending"
    )
    browser.go("#/trials?sort=cost&order=down&page=3")
    assert browser.text(".pager span") == "Page 3 of 3" and len(browser.texts("table.trials tbody tr")) == 42
    browser.picture("trials")


def test_a_trial_from_question_to_lineage(
    browser: Browser, run: Path, serve: Callable[..., ViewerServer]
) -> None:
    browser.open(f"{serve(run).url}#/trial/0/{rich(run)}")
    page = browser.text()
    for wanted in (
        "Where? Scotts Bluff",
        "639.7 km away",
        "Find Scotts Bluff",
        "Skills loaded: places",
        "Rule dead-end applied",
        "failed: quota",
        "Substitute",
    ):
        assert wanted in page, wanted
    assert browser.texts("#scoring table tbody tr")[1].split("\t")[:3] == ["Distance km", "1", "639.7"]
    assert browser.texts("#trajectory .tool .badge") == ["ok", "ok", "error"]
    number, calls, datasets, sources = browser.texts("#number-0 > *")
    assert (
        (number, calls) == ("639.7", "measure")
        and datasets.split() == ["ds://distances-1", "ds://counties-1"]
        and "atlas (boundaries, 4e9f)" in sources
    )
    assert "No reply holds it" in browser.texts("#number-1 > *")[1]
    browser.run("document.querySelector('button.number').click()")
    assert browser.run("return document.activeElement.id") == "number-0"
    browser.run("document.querySelector('#number-0 button').click()")
    assert browser.run("return document.activeElement.id") == "call-c2"
    browser.picture("trial")


def test_maps_of_features_and_rasters(
    browser: Browser, run: Path, serve: Callable[..., ViewerServer]
) -> None:
    server = serve(run)
    browser.open(f"{server.url}#/trial/0/{rich(run)}")
    browser.requests()
    for name in ("zones-1", "heights-1"):
        browser.run(
            "const b = document.querySelector(`#dataset-${arguments[0]} > button`); b.click(); b.scrollIntoView()",
            name,
        )
        browser.until(f"document.querySelector('#dataset-{name} .map')?.dataset.ready")
        browser.picture(f"map-{name}")
    assert browser.texts("#dataset-zones-1 .preview table tbody tr")[0].split("\t")[:2] == ["West", "10"]
    assert "persons" in browser.text("#dataset-zones-1 .preview thead")
    assert browser.run(
        "return document.querySelector('#dataset-heights-1 .ramp svg').getAttribute('aria-label')"
    ).startswith("Colours from 0 to 2000")
    pixels = browser.run(
        "const c = document.querySelector('#dataset-zones-1 canvas'); return [c.width, c.height, c.getAttribute('aria-label')]"
    )
    assert pixels[0] > 300 and pixels[1] > 200
    browser.run(
        "const s = document.querySelector('#dataset-zones-1 [id^=feature-]'); s.value = '1'; s.dispatchEvent(new Event('change'))"
    )
    assert "East" in browser.text("#dataset-zones-1 .feature")
    assert "/api/base" in " ".join(browser.requests())
    assert len(json.loads(server.documents.get("base"))["layers"]["countries"]["features"]) > 200


def test_two_trials_side_by_side(
    browser: Browser, run: Path, second: Path, serve: Callable[..., ViewerServer]
) -> None:
    browser.open(f"{serve(run, second).url}#/trial/0/{rich(run)}")
    browser.until("document.querySelector('.others table')")
    links = browser.run(
        "return [...document.querySelectorAll('.others a[href*=compare]')].map((e) => [e.getAttribute('aria-label'), e.getAttribute('href')])"
    )
    (_, link) = next(pair for pair in links if "llm-tools" in pair[0] and "#8" in pair[0])
    browser.go(link)
    heads = browser.texts("table.compare thead")[0]
    assert "gra · synthetic:one" in heads and "llm-tools · synthetic:one" in heads
    assert [row.split("\t")[0] for row in browser.texts("table.calls tbody tr")][:2] == [
        "find_regions\nok",
        "measure\nok",
    ] or "find_regions" in browser.text("table.calls")
    assert browser.run("return document.querySelectorAll('table.compare.calls tr.differs').length") == 0
    assert "Cost" in " ".join(browser.texts("tr.differs th"))
    browser.picture("compare")


def test_two_runs_query_by_query(
    browser: Browser, run: Path, second: Path, serve: Callable[..., ViewerServer]
) -> None:
    browser.open(f"{serve(run, second).url}#/queries?show=differ")
    columns = browser.texts("table.matrix thead th")
    assert columns[1:] == [
        f"{c} · {r}" for r in ("first", "second") for c in ("llm", "llm-basic", "llm-tools", "gra")
    ]
    for row in browser.texts("table.matrix tbody tr")[:20]:
        assert len({cell.split()[1] for cell in row.split("\t")[1:] if cell.strip()}) > 1
    browser.picture("queries")


def test_everything_by_keyboard(browser: Browser, run: Path, serve: Callable[..., ViewerServer]) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(serve(run).url)
    browser.keys(Keys.TAB)
    assert browser.focused() == "Skip to content"
    browser.keys(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "main"
    seen = []
    for _ in range(8):
        browser.keys(Keys.TAB)
        seen.append(browser.focused())
    assert "llm" in seen and "gra" in seen
    outline = browser.run(
        "const s = getComputedStyle(document.activeElement); return [s.outlineStyle, parseFloat(s.outlineWidth)]"
    )
    assert outline[0] != "none" and outline[1] >= 2
    browser.go(f"#/trial/0/{rich(run)}")
    assert browser.run("return document.activeElement.tagName") == "H1" and "synthetic-0" in browser.text(
        "#live"
    )
    browser.run("document.querySelector('#trajectory .tool summary').focus()")
    browser.keys(Keys.ENTER)
    assert browser.run("return document.querySelector('#trajectory .tool details').open")
    browser.run("document.querySelector('#dataset-counties-1 > button').focus()")
    browser.keys(Keys.SPACE)
    browser.until(
        "document.querySelector('#dataset-counties-1 > button').getAttribute('aria-expanded') === 'true'"
    )
    browser.driver.back()
    browser.settle()
    assert browser.text("h1") == "Results"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barrier_that_axe_knows(
    browser: Browser, run: Path, serve: Callable[..., ViewerServer], scheme: str
) -> None:
    axe = find_spec("axe_core_python")
    if axe is None or axe.origin is None:
        pytest.skip("needs axe-core-python (requirements-dev.txt)")
    script = (Path(axe.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    browser.scheme(scheme)
    browser.open(serve(run).url)
    browser.until("document.querySelector('table.breakdown')")
    browser.run(script)
    rules = {} if scheme == "light" else {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
    trial, other = rich(run), rich(run, "llm-tools")
    for route in (
        "#/",
        "#/queries",
        "#/trials",
        f"#/trial/0/{trial}",
        f"#/compare/0/{trial}/0/{other}",
        "#/unknown",
    ):
        browser.go(route) if route != "#/" else None
        if "/trial/" in route:
            browser.until("document.querySelector('.others table')")
            browser.run(
                "for (const d of document.querySelectorAll('details')) d.open = true; for (const n of ['counties-1', 'zones-1']) document.querySelector(`#dataset-${n} > button`).click()"
            )
            browser.until("document.querySelector('#dataset-zones-1 .map')?.dataset.ready")
        found = browser.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; axe.run(document, arguments[0]).then((r) => done(r.violations), (e) => done([{id: String(e), nodes: []}]))",
            rules,
        )
        told = [
            (
                v["id"],
                [n["target"] for n in v["nodes"]][:5],
                [n.get("failureSummary") for n in v["nodes"]][:1],
            )
            for v in found
        ]
        assert told == [], f"{route} {scheme}"


def test_text_of_trials_is_data(
    browser: Browser, hostile: Path, serve: Callable[..., ViewerServer], tmp_path: Path
) -> None:
    page = tmp_path / "hostile.html"
    page.write_text("".join(self_contained([hostile])), encoding="utf-8")
    trial = rich(hostile)
    for base in (serve(hostile).url, page.as_uri()):
        browser.open(base)
        for route in ("#/", "#/queries", "#/trials", f"#/trial/0/{trial}", f"#/compare/0/{trial}/0/{trial}"):
            browser.go(route) if route != "#/" else None
            if "/trial/0" in route:
                browser.run(
                    "for (const d of document.querySelectorAll('details')) d.open = true; for (const b of document.querySelectorAll('.card > button, button.more')) b.click()"
                )
                browser.until("document.querySelectorAll('.card > button[aria-expanded=true]').length === 2")
                shown = "document.querySelector('main').innerText.includes(arguments[0])"
                assert browser.run(f"return {shown}", '<img src=x onerror="window.pwned=1">')
            assert browser.run(
                "return [window.pwned, document.querySelectorAll('img, main script, iframe, [onerror], [onload], a[href^=javascript]').length]"
            ) == [None, 0]


def test_nothing_leaves_the_machine(browser: Browser, run: Path, serve: Callable[..., ViewerServer]) -> None:
    server = serve(run)
    browser.open(server.url)
    trial = rich(run)
    for route in ("#/queries", "#/trials", f"#/trial/0/{trial}"):
        browser.go(route)
    browser.run("document.querySelector('#dataset-zones-1 > button').click()")
    browser.until("document.querySelector('#dataset-zones-1 .map')?.dataset.ready")
    asked = browser.requests()
    assert len(asked) > 10
    for url in asked:
        parts = urlsplit(url)
        assert (
            parts.scheme in ("data", "blob", "about") or parts.netloc == f"127.0.0.1:{server.server_port}"
        ), url


def test_one_file_without_server_or_network(browser: Browser, run: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text("".join(self_contained([run])), encoding="utf-8")
    trial = rich(run)
    browser.open(page.as_uri())
    assert len(browser.texts("table.results tbody tr")) == 4
    browser.go("#/trials?configuration=gra&q=scotts")
    assert browser.text("#found") == "1 trial of 242"
    browser.go(f"#/trial/0/{trial}")
    for name in ("zones-1", "heights-1"):
        browser.run("document.querySelector(`#dataset-${arguments[0]} > button`).click()", name)
        browser.until(f"document.querySelector('#dataset-{name} .map')?.dataset.ready")
    browser.picture("one-file")
    assert {urlsplit(url).scheme for url in browser.requests()} <= {"file", "data", "blob", "about"}
    small = tmp_path / "small.html"
    small.write_text("".join(self_contained([run], max_bytes=2000)), encoding="utf-8")
    browser.open(f"{small.as_uri()}#/trial/0/{trial}")
    assert "left out of the file" in browser.text("[role=alert]")


def test_ten_thousand_trials_are_shown_from_summaries(
    browser: Browser, serve: Callable[..., ViewerServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "large", trials=10_000, events=2)
    read: list[str] = []
    whole = RunIndex._refresh_events
    monkeypatch.setattr(RunIndex, "_refresh_events", lambda index: (read.append("events"), whole(index))[1])
    server = serve(run)
    server.documents.get("summary")
    browser.open(server.url)
    assert "2,500" in browser.texts("table.results tbody tr")[0]
    browser.go("#/trials?q=synthetic-999")
    assert read == [] and browser.text("#found").endswith("of 10,000")
    browser.run("document.querySelector('table.trials a').click()")
    browser.until("document.querySelector('#trajectory')")
    assert read == ["events"]
    browser.picture("large")

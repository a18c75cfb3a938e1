"""The page that scores a reader's files: its part in Python, and its script in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from io import BytesIO
from pathlib import Path
from textwrap import dedent
from threading import Thread

import pytest

from ranking_scores import ranking_report
from ranking_scores.__main__ import main
from ranking_scores.tables import from_lists

ROOT = Path(__file__).parents[2]
DOC = ROOT / "doc"
sys.path.insert(0, str(DOC))
try:
    from browser import find_browser, open_browser
    from run_in_browser import PACKAGE, PYTHON_PART, SCRIPT, as_script, packed
    from try_it_page import answer
finally:
    sys.path.remove(str(DOC))

GOLD = {"q1": {"guide": 2, "faq": 1}, "q2": {"api": 1}, "q3": {"sdk": 1, "api": 1}}
FOUND = {"q1": {"faq": 8.5, "guide": 8.5}, "q2": {"sdk": 5.5, "api": 4}, "q3": {"sdk": 7}}
NO_FILE = {"name": "", "data": "", "text": ""}
QRELS = "q1 0 guide 2\nq1 0 faq 1\nq2 0 api 1\nq3 0 sdk 1\nq3 0 api 1\n"
RUN = """\
q1 Q0 faq 1 8.5 tag
q1 Q0 guide 2 8.5 tag
q2 Q0 sdk 1 5.5 tag
q2 Q0 api 2 4 tag
q3 Q0 sdk 1 7 tag
"""
QRELS_TABLE = "query,item,label\nq1,guide,2\nq1,faq,1\nq2,api,1\nq3,sdk,1\nq3,api,1\n"
RUN_TABLE = "query,item,score\nq1,faq,8.5\nq1,guide,8.5\nq2,sdk,5.5\nq2,api,4\nq3,sdk,7\n"


def file(name, text):
    """Return a file that a reader has chosen."""
    data = text if isinstance(text, bytes) else text.encode()
    return {"name": name, "data": base64.b64encode(data).decode(), "text": ""}


def pasted(value):
    """Return a text that a reader has pasted."""
    return NO_FILE | {"text": value if isinstance(value, str) else json.dumps(value)}


def form(judgments=NO_FILE, run=NO_FILE, baseline=NO_FILE, **texts):
    """Return what the script of the page sends."""
    fields = {"judgments": judgments, "run": run, "baseline": baseline}
    fields |= {"scores": "ndcg@2 map", "at_least": "", "max_drop": "", "options": ""}
    return json.dumps(fields | texts)


def ask(*files, **texts):
    """Return the answer to a form."""
    return json.loads(answer(form(*files, **texts)))


@pytest.mark.parametrize(
    "files",
    [
        (pasted(GOLD), pasted(FOUND)),
        (file("gold.json", json.dumps(GOLD)), file("found.json", json.dumps(FOUND))),
        (file("qrels.txt", QRELS), file("a.run", RUN)),
        (file("qrels.csv", QRELS_TABLE), file("run.csv", RUN_TABLE)),
        (file("qrels.txt", QRELS), file("run.csv", RUN_TABLE)),
    ],
    ids=["pasted", "json", "trec", "csv", "both"],
)
def test_the_scores_are_those_of_the_report(files):
    answered = ask(*files)
    expected = ranking_report(from_lists(GOLD, FOUND), scores=["ndcg", "map"], k=[2, None])
    assert (answered["status"], answered["said"]) == (0, "")
    saved = json.loads(answered["report"])
    assert saved["n_queries"] == 3
    for name in ("ndcg@2", "map"):
        assert f"<td>{name}</td><td>{expected[name]:.4f}</td>" in answered["page"]
    assert answered["page"].count("<svg ") == 2


def test_one_file_has_judgments_and_run():
    lines = [
        {"query": query, "relevant": GOLD[query], "retrieved": FOUND[query], "kind": query[:1]}
        for query in GOLD
    ]
    text = "\n".join(map(json.dumps, lines))
    answered = ask(file("evaluation.jsonl", text), options="--by kind")
    assert answered["command"] == "ranking-scores evaluation.jsonl -m ndcg@2,map --by kind"
    assert "kind q, 3 queries" in answered["page"]


def test_the_command_prints_the_same_in_a_terminal(tmp_path, monkeypatch, capsys):
    (tmp_path / "my qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    files = file("my qrels.txt", QRELS), file("a.run", RUN)
    answered = ask(*files, options="--ties", at_least="map=0.5")
    name, *words = ["ranking-scores", "my qrels.txt", "a.run", "-m", "ndcg@2,map"]
    words += ["--at-least", "map=0.5", "--ties"]
    assert answered["command"] == f"{name} 'my qrels.txt' {' '.join(words[1:])}"
    monkeypatch.chdir(tmp_path)
    assert main(words) == answered["status"] == 0
    assert capsys.readouterr().out == answered["printed"]


def test_a_saved_report_is_the_baseline_of_a_gate():
    saved = ask(pasted(GOLD), pasted(FOUND))["report"]
    worse = FOUND | {"q3": {"blog": 2.0, "sdk": 1.0}}
    baseline = file("base.json", saved)
    answered = ask(pasted(GOLD), pasted(worse), baseline, max_drop="ndcg@2=0.01 map=0.9")
    assert answered["status"] == 1
    assert "--baseline base.json --max-drop ndcg@2=0.01 map=0.9" in answered["command"]
    gate, changes = answered["page"].index("<h2>Gate: "), answered["page"].index("<h2>Changes")
    assert "<p>failed: 1 of 2 conditions failed</p>" in answered["page"][gate:changes]
    passed = ask(pasted(GOLD), pasted(worse), baseline, max_drop="0.9")
    assert passed["status"] == 0
    assert "<p>passed: " in passed["page"]


@pytest.mark.parametrize(
    ("files", "texts", "said"),
    [
        ((), {}, "Judgments: choose a file or paste JSON."),
        ((pasted("  \n"),), {}, "Judgments: choose a file or paste JSON."),
        ((pasted(GOLD), file("a.run", RUN) | {"text": "{}"}), {}, "Run: choose a file or paste"),
        (
            (pasted('{"q\ud83d": []}'),),
            {},
            "Judgments: \\ud83d is half of a character. Delete it.",
        ),
        ((pasted(GOLD), file("a\udc00.run", RUN)), {}, "Run: \\udc00 is half of a character."),
        ((pasted(GOLD), pasted(FOUND)), {"options": "--by \ud83d"}, "Other options: \\ud83d is"),
        (
            (pasted(GOLD), pasted(FOUND)),
            {"max_drop": "\udfff"},
            "and may drop by at most: \\udfff",
        ),
        ((file("a.txt", QRELS), file("a.txt", RUN)), {}, "Two of the files are called a.txt."),
        ((file("-m", QRELS), pasted(FOUND)), {}, "The name -m looks like an option."),
        ((pasted(GOLD), pasted(FOUND)), {"options": "'a"}, "Other options: No closing quotation."),
        ((pasted("[1"), pasted(FOUND)), {}, "error: judgments.json"),
        ((pasted(GOLD), pasted(FOUND)), {"scores": "foo, map"}, "Got 'foo' instead."),
        ((pasted(GOLD), pasted(FOUND)), {"max_drop": "0.1"}, "--max-drop needs a baseline."),
        ((file("a.txt", b"\xff\xfe"), pasted(FOUND)), {}, "error: a.txt"),
    ],
)
def test_what_is_wrong_is_said_and_no_page_is_there(files, texts, said):
    answered = ask(*files, **texts)
    assert said in answered["said"]
    assert answered["said"].count("\n") == 1
    assert (answered["status"], answered["page"], answered["report"]) == (2, None, None)


def test_scores_may_be_left_out():
    answered = ask(pasted(GOLD), pasted(FOUND), scores=" ")
    assert answered["command"] == "ranking-scores judgments.json run.json"
    assert "<td>hit_rate@10</td>" in answered["page"]


def test_warnings_are_said_beside_the_page():
    answered = ask(pasted(GOLD), pasted({"q1": {"faq": 1.0}}), at_least="0.1")
    assert "warning: run.json: 2 queries were judged but not predicted" in answered["said"]
    assert "<h2>Gate: " in answered["page"]


def test_no_thread_is_started(monkeypatch):
    """A browser has none."""

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    saved = ask(pasted(GOLD), pasted(FOUND))["report"]
    monkeypatch.setattr(Thread, "start", refuse)
    files = pasted(GOLD), pasted(FOUND), file("base.json", saved)
    answered = ask(*files, max_drop="0.1", options="--rule 'surely worse'")
    assert (answered["status"], answered["said"]) == (0, "")


def test_the_archive_is_all_that_the_page_needs(tmp_path):
    with zipfile.ZipFile(BytesIO(packed())) as archive:
        archive.extractall(tmp_path)
        assert not [name for name in archive.namelist() if "__pycache__" in name]
    program = """
        import sys
        sys.path.insert(0, ".")
        import ranking_scores, try_it_page
        assert ranking_scores.__file__.startswith(sys.argv[1]), ranking_scores.__file__
        print(try_it_page.answer(sys.stdin.read()))
    """
    asked = form(pasted(GOLD), pasted(FOUND))
    run = subprocess.run(
        [sys.executable, "-c", dedent(program), tmp_path.resolve()],
        cwd=tmp_path,
        input=asked,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert json.loads(run.stdout) == json.loads(answer(asked))


def test_the_same_sources_are_packed_as_the_same_bytes():
    assert packed() == packed()


def test_the_page_loads_what_the_package_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [re.match(r"[\w-]+", each)[0] for each in project["dependencies"]]
    script = (DOC / "_static" / SCRIPT).read_text(encoding="utf-8")
    [libraries] = re.findall(r"const LIBRARIES = (\[.*\]);", script)
    assert json.loads(libraries) == needed


def html_of_the_form():
    """Return the part of the page that is written in HTML."""
    text = (DOC / "try_it.rst").read_text(encoding="utf-8")
    [html] = re.findall(r"^\.\. raw:: html\n\n((?:   .*\n|\n)+)", text, flags=re.MULTILINE)
    return dedent(html)


def test_the_address_of_the_runtime_is_in_one_place(tmp_path):
    pytest.importorskip("sphinx", reason="it is in the extra doc")
    from sphinx.cmd.build import build_main

    source, built = tmp_path / "source", tmp_path / "built"
    source.mkdir()
    (source / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(DOC)!r})\nextensions = ['run_in_browser']\n"
        f"html_static_path = [{str(DOC / '_static')!r}]\nhtml_theme = 'basic'\n"
    )
    (source / "index.rst").write_text("Title\n=====\n\n.. toctree::\n\n   try_it\n")
    (source / "try_it.rst").write_text(f"Try it\n======\n\n{'.. raw:: html'}\n\n   <p>\n")
    url = "https://example.org/pyodide"
    assert build_main(["-q", "-D", f"pyodide_url={url}", str(source), str(built)]) == 0
    script = re.compile(rf'<script[^>]* data-pyodide="{url}/"[^>]* src="_static/{SCRIPT}')
    assert script.search((built / "try_it.html").read_text(encoding="utf-8"))
    assert SCRIPT not in (built / "index.html").read_text(encoding="utf-8")
    assert (built / "_static" / PACKAGE).read_text(encoding="ascii") == as_script(packed())


# --- in a browser -------------------------------------------------------------------------------

STUB = """
globalThis.calls = [];
globalThis.loadPyodide = async (options) => {
  if (globalThis.isBroken) throw new Error("there is no WebAssembly");
  calls.push(["loadPyodide", options.indexURL]);
  return {
    loadPackage: async (names) => calls.push(["loadPackage", names]),
    unpackArchive: (bytes, format) => calls.push(["unpackArchive", bytes.length, format]),
    pyimport: (name) => {
      calls.push(["pyimport", name]);
      const ask = (form) => new Promise((give) => Object.assign(globalThis, { form, give }));
      return { answer: ask };
    },
  };
};
"""
"""A stand-in for Pyodide, which leaves the answer to the test."""
SHOWN = """
(() => {
  const result = document.getElementById("try-it-result");
  const shown = [...result.querySelectorAll("[class]")].filter((each) => !each.hidden);
  return Object.fromEntries(shown.map((each) => [each.className, each.textContent]));
})()
"""
CHOOSE = """
(() => {
  const files = new DataTransfer();
  files.items.add(new File([TEXT], NAME));
  document.querySelector(`[name=FIELD_file]`).files = files.files;
})()
"""


@pytest.fixture(scope="module")
def tab():
    path = find_browser()
    if path is None:
        pytest.skip("no browser is installed, such as chromium")
    # A page of a disk may read nothing else from there, such as Python compiled to WebAssembly.
    with open_browser(path, "--allow-file-access-from-files") as opened:
        yield opened


def open_page(tab, folder, runtime, archive):
    """Open the page with a runtime and an archive."""
    (folder / PACKAGE).write_text(as_script(archive), encoding="ascii")
    (folder / SCRIPT).write_bytes((DOC / "_static" / SCRIPT).read_bytes())
    html = f"""<!doctype html><html><head><meta charset="utf-8">
        <script defer data-pyodide="{runtime.as_uri()}/" src="{SCRIPT}"></script></head>
        <body>{html_of_the_form()}</body></html>"""
    (folder / "try_it.html").write_text(html, encoding="utf-8")
    tab.events.clear()
    tab.open((folder / "try_it.html").as_uri())


@pytest.fixture
def page(tab, tmp_path):
    """Open the page with a stand-in for Pyodide beside it."""
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    (runtime / "pyodide.js").write_text(STUB, encoding="utf-8")
    open_page(tab, tmp_path, runtime, b"a zip")
    return tab


def wait_for(tab, expression):
    """Return the value of an expression as soon as it is true."""
    deadline = time.monotonic() + 20
    while not (value := tab.run(expression)):
        assert time.monotonic() < deadline, f"{expression} is {value}"
        time.sleep(0.02)
    return value


def submit(tab):
    """Press the button."""
    tab.run("globalThis.form = null; document.querySelector('[type=submit]').click()")


def compute(tab):
    """Press the button, let Python answer, and return what is asked and what the page shows."""
    submit(tab)
    asked = wait_for(tab, "globalThis.form")
    tab.run(f"give({json.dumps(answer(asked))})")
    wait_for(tab, "!document.querySelector('[type=submit]').disabled")
    return json.loads(asked), tab.run(SHOWN)


def test_nothing_is_loaded_before_a_reader_asks_for_scores(page):
    page.run("new Promise((resolve) => setTimeout(resolve, 500))")
    loaded = [
        event["params"]["request"]["url"].rpartition("/")[2]
        for event in page.events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert loaded == ["try_it.html", SCRIPT]


def test_the_example_is_computed_and_shown(page):
    page.run("document.querySelector('.example').click()")
    asked, shown = compute(page)
    answered = json.loads(answer(json.dumps(asked)))
    assert page.run("calls") == [
        ["loadPyodide", page.run("document.querySelector('[data-pyodide]').dataset.pyodide")],
        ["loadPackage", ["numpy", "scipy", "scikit-learn", "joblib"]],
        ["unpackArchive", len(b"a zip"), "zip"],
        ["pyimport", PYTHON_PART.removesuffix(".py")],
    ]
    assert set(shown) == {"state", "command", "frame", "page", "report"}
    assert shown["state"] == "Done: the gate has failed."
    assert shown["command"] == f"$ {answered['command']}"
    inner = "document.querySelector('.frame').contentDocument"
    assert page.run(f"{inner}.querySelector('h2').textContent") == "Gate: ✗ failed"
    assert page.run(f"{inner}.querySelectorAll('svg').length") == 3
    height = page.run("document.querySelector('.frame').clientHeight")
    assert height >= page.run(f"{inner}.documentElement.scrollHeight") > 500
    for link, key in (("page", "page"), ("report", "report")):
        address = f"document.querySelector('a.{link}').href"
        assert page.run(f"fetch({address}).then((each) => each.text())") == answered[key]


def test_chosen_files_are_read_with_all_bytes(page):
    text = QRELS.replace("guide", "Führer")
    for field, name, content in (("judgments", "qrels.txt", text), ("run", "a.run", RUN)):
        script = CHOOSE.replace("FIELD", field).replace("TEXT", json.dumps(content))
        page.run(script.replace("NAME", json.dumps(name)))
    asked, shown = compute(page)
    assert asked["judgments"] == file("qrels.txt", text)
    assert asked["run"] == file("a.run", RUN)
    assert asked["baseline"] == NO_FILE
    assert shown["state"] == "Done."
    assert "qrels.txt a.run" in shown["command"]


def test_the_page_says_what_is_wrong_and_the_next_answer_replaces_it(page):
    _, shown = compute(page)
    assert shown == {
        "state": "The scores cannot be computed:",
        "said": "Judgments: choose a file or paste JSON.\n",
    }
    page.run("document.querySelector('.example').click()")
    assert "said" not in compute(page)[1]
    page.run("document.querySelector('[name=judgments]').value = ''")
    assert compute(page)[1] == shown
    n_starts = "calls.filter(([name]) => name === 'loadPyodide').length"
    assert page.run(n_starts) == 1


def test_a_runtime_that_does_not_start_is_tried_again(page):
    page.run("globalThis.isBroken = true")
    submit(page)
    wait_for(page, "!document.querySelector('[type=submit]').disabled")
    assert page.run(SHOWN)["said"] == "there is no WebAssembly"
    page.run("globalThis.isBroken = false")
    assert compute(page)[1]["said"] == "Judgments: choose a file or paste JSON.\n"


def test_a_runtime_that_is_not_there_is_named(page, tmp_path):
    (tmp_path / "runtime" / "pyodide.js").unlink()
    submit(page)
    wait_for(page, "!document.querySelector('[type=submit]').disabled")
    url = (tmp_path / "runtime" / "pyodide.js").as_uri()
    assert page.run(SHOWN)["said"] == f"{url} cannot be loaded."


PYODIDE = ROOT / "node_modules" / "pyodide"
COMMAND = """
import sys

import joblib, numpy, scipy, sklearn


def main(words):
    *words, _, page, _, report = words
    text = " ".join([*words, *(open(name).read() for name in words[:2])])
    open(page, "w").write(f"<p>{text}</p>")
    open(report, "w").write("{}")
    print("this is a warning", file=sys.stderr)
    return 1
"""
"""A stand-in for the package, which shows what it is passed."""


def add_library(runtime, lock, name, module):
    """Add a stand-in for a library to a runtime."""
    path = runtime / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{module}/__init__.py", "")
    lock["packages"][name] |= {
        "file_name": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "depends": [],
    }


def test_python_in_the_browser_gets_the_files_and_writes_the_page(tab, tmp_path):
    """Pyodide itself, without its libraries, which are not in the package of npm."""
    if not PYODIDE.is_dir():
        pytest.skip("pyodide is not in node_modules: npm install --no-save pyodide")
    runtime = tmp_path / "runtime"
    shutil.copytree(PYODIDE, runtime)
    lock = json.loads((runtime / "pyodide-lock.json").read_text(encoding="utf-8"))
    modules = {"numpy": "numpy", "scipy": "scipy", "joblib": "joblib", "scikit-learn": "sklearn"}
    for name, module in modules.items():
        add_library(runtime, lock, name, module)
    (runtime / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as packed_here:
        packed_here.write(DOC / PYTHON_PART, PYTHON_PART)
        packed_here.writestr("ranking_scores/__init__.py", "")
        packed_here.writestr("ranking_scores/__main__.py", COMMAND)
    open_page(tab, tmp_path, runtime, archive.getvalue())
    for field, text in (("judgments", "Führer"), ("run", "1 < 2")):
        script = CHOOSE.replace("FIELD", field).replace("TEXT", json.dumps(text))
        tab.run(script.replace("NAME", json.dumps(f"{field}.txt")))
    tab.run("document.querySelector('[type=submit]').click()")
    wait_for(tab, "!document.querySelector('[type=submit]').disabled")
    shown = tab.run(SHOWN)
    words = "judgments.txt run.txt -m ndcg@10,map,mrr@10,recall@100"
    assert shown["command"] == f"$ ranking-scores {words}"
    assert shown["said"] == "this is a warning\n"
    assert shown["state"] == "Done: the gate has failed."
    body = tab.run("document.querySelector('.frame').contentDocument.body.textContent")
    assert body == f"{words} Führer 1 < 2"

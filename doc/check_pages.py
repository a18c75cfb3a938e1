"""Open every built page in a headless browser, and say what a reader would stumble over.

``python doc/check_pages.py doc/_build/html`` looks at each page at two widths, light and dark. It
fails if code is clipped, if anything is wider than the window, if a long page shows no list of its
sections, if the copy button of an example copies anything but code, if names in code are
underlined, if the console has an error, or if a page asks for anything but files beside it. Then
it types some queries into the search of the pages, and fails unless the right page comes first.

``--screenshots folder`` keeps a picture of each of some pages, and ``--only`` looks at some pages.
"""

from __future__ import annotations

import argparse
import base64
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

from browser import Tab, find_browser, open_browser

WIDTHS = {"wide": 1280, "narrow": 390}

# What is wrong with the page as it is now, as a list of sentences.
LOOK = r"""
(() => {
  const wide = innerWidth > 1000, found = [];
  const name = (element) =>
    element.tagName.toLowerCase() + [...element.classList].map((each) => "." + each).join("")
    + " '" + element.textContent.trim().slice(0, 60).replace(/\s+/g, " ") + "'";
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) {
    found.push(`the page is ${root.scrollWidth} pixels wide`);
  }
  const article = document.querySelector("article");
  const isShown = (element) => element.checkVisibility() && element.clientWidth > 1;
  const boxes = [...article.querySelectorAll(":not(pre *)"), document.querySelector(".content")];
  for (const element of boxes) {
    const hidden = element.scrollWidth - element.clientWidth;
    if (hidden < 2 || !isShown(element)) continue;
    const overflow = getComputedStyle(element).overflowX;
    if (overflow === "visible") continue;
    const scrolls = ["auto", "scroll"].includes(overflow);
    const mayScroll = element.matches("pre, .math-wrapper, div.math") && !wide && scrolls;
    if (!mayScroll) found.push(`${hidden} pixels are clipped: ${name(element)}`);
  }
  const kinds = new Map();
  for (const span of article.querySelectorAll(".highlight :not(a) > span")) {
    if (!kinds.has(span.className)) kinds.set(span.className, span);
  }
  for (const span of kinds.values()) {
    if (getComputedStyle(span).textDecorationLine.includes("underline")) {
      found.push(`underlined in code: ${name(span)}`);
    }
  }
  const sections = article.querySelectorAll("section:not(.genindex-section) > h2").length;
  const contents = [...document.querySelectorAll(".toc-tree, details.page-contents")];
  const inWindow = (element) => {
    const box = element.getBoundingClientRect();
    return isShown(element) && box.left >= 0 && box.right <= innerWidth;
  };
  if (sections > 3 && !contents.some(inWindow)) found.push("its sections are not listed");
  for (const link of article.querySelectorAll("a[href^='mailto:']")) {
    found.push(`a link to mail: ${name(link)}`);
  }
  for (const button of article.querySelectorAll("button.copy")) {
    if (wide && button.offsetWidth === 0) found.push("a copy button is not there");
  }
  return found;
})()
"""

# What the copy buttons of examples put into the clipboard.
COPIES = """
[...document.querySelectorAll("div.highlight pre")]
  .filter((pre) => pre.querySelector(".gp") && pre.textContent.startsWith(">>> "))
  .map((pre) => window.codeToCopy(pre))
"""

# What a reader types, and the page, or its section, that should be the first result.
SEARCHES = {
    "MAP": "metrics.html#average-precision",
    "MRR": "metrics.html#reciprocal-rank",
    "ndcg": "metrics.html#dcg-and-ndcg",
    "GAUC": "metrics.html#grouped-auc",
    "P@5": "metrics.html#precision-at-k",
    "sample_weight": "metrics.html#what-all-metrics-share",
    "item_weight": "metrics.html#item-weights",
    "ties": "tie_report.html",
    "plot": "report.html",
    "regression test": "gates.html",
    "cite": "about.html",
    "top-k accuracy": "class_labels.html",
    "success@k": "metrics.html#hit-rate",
    "padding": "layouts.html",
    "speed": "scale.html#several-cores",
    "confidence interval": "significance.html",
    "grid search": "model_selection.html",
    "dataframe": "tables.html",
    "torchmetrics": "moving.html",
    "scikit-learn": "moving.html#scikit-learn",
    "xgboost": "rankers.html",
    "dask": "clusters.html#dask",
    "pytorch": "streaming.html",
    "ndcg_score": "generated/ranking_scores.ndcg_score.html",
}

RESULTS = """
new Promise((resolve) => {
  const look = () => {
    const status = document.querySelector("#search-results .search-summary");
    const done = status && /found|did not match/.test(status.textContent);
    if (!done) return setTimeout(look, 20);
    const links = document.querySelectorAll("#search-results ul.search li > a");
    resolve([...links].slice(0, 3).map((link) => link.href));
  };
  look();
})
"""

# A page with one fault of each kind, and what is said of them: a check that overlooks one of
# these proves nothing.
FAULTY = """<!doctype html><html><body><div class="content"><article>
<section><h2>1</h2></section><section><h2>2</h2></section>
<section><h2>3</h2></section><section><h2>4</h2></section>
<div class="highlight" style="width: 5em"><pre style="overflow: auto"><span
 class="gp">&gt;&gt;&gt; </span><span style="text-decoration: underline">a_long_line</span> = 1
</pre></div>
<p style="width: 1500px">wide</p><a href="mailto:ndcg@10">ndcg@10</a>
<img src="https://ranking-scores.invalid/picture.svg"><img src="missing.svg">
<script>
  window.codeToCopy = (pre) => pre.textContent;
  console.error("this is printed");
  throw new Error("this is thrown");
</script></article></div></body></html>"""
FAULTS = [
    "wide, light: the page is 15",
    "pixels are clipped: pre",
    "dark: underlined in code",
    "narrow, light: its sections are not listed",
    "a link to mail",
    "the copy button copies no code",
    "it asks for https://ranking-scores.invalid/picture.svg",
    "a file is not there",
    "the console: ['this is printed']",
    "an exception: Error: this is thrown",
]


def check_this_check(tab: Tab) -> list[str]:
    """Return which faults of a faulty page are not found."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "faulty.html")
        page.write_text(FAULTY, encoding="utf-8")
        found = check_page(tab, page, page.name, None)
    return [
        f"this check overlooks '{fault}'"
        for fault in FAULTS
        if not any(fault in problem for problem in found)
    ]


def errors(tab: Tab) -> list[str]:
    """What the browser reported since the page was opened: errors, and requests to elsewhere."""
    found = []
    for event in tab.events:
        params = event["params"]
        match event["method"]:
            case "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:")):
                    found.append(f"it asks for {url}")
            case "Network.loadingFailed":
                found.append(f"a file is not there: {params['errorText']} ({params['type']})")
            case "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                text = details.get("exception", {}).get("description", details["text"])
                found.append(f"an exception: {text}")
            case "Runtime.consoleAPICalled" if params["type"] in {"error", "warning", "assert"}:
                found.append(f"the console: {[each.get('value') for each in params['args']]}")
            case "Log.entryAdded" if params["entry"]["level"] in {"error", "warning"}:
                found.append(
                    f"the log: {params['entry']['text']} {params['entry'].get('url', '')}"
                )
    return found


def keep_picture(tab: Tab, path: Path) -> None:
    """Write a picture of what is in the window."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(base64.b64decode(tab.send("Page.captureScreenshot", format="png")["data"]))


def check_page(tab: Tab, page: Path, name: str, screenshots: Path | None) -> list[str]:
    """Look at one page in every way that there is, and return what is wrong with it."""
    tab.events.clear()
    tab.look(width=WIDTHS["wide"], dark=False)
    tab.open(page.as_uri())
    found = []
    for size, width in WIDTHS.items():
        for dark in (False, True):
            tab.look(width=width, dark=dark)
            looks = f"{size}, {'dark' if dark else 'light'}"
            found += [f"{looks}: {problem}" for problem in tab.run(LOOK)]
            if screenshots is not None:
                stem = name.replace("/", "-").removesuffix(".html")
                keep_picture(tab, screenshots / f"{stem}-{looks.replace(', ', '-')}.png")
    for code in tab.run(COPIES):
        try:
            compile(code, name, "exec")
        except SyntaxError as error:
            found.append(f"the copy button copies no code: {error}")
    return found + errors(tab)


def check_searches(tab: Tab, html: Path) -> list[str]:
    """Type queries into the search, and return those whose first result is another page."""
    found = []
    for query, expected in SEARCHES.items():
        tab.events.clear()
        tab.open(f"{(html / 'search.html').as_uri()}?q={quote(query)}")
        results = [result.removeprefix(f"{html.as_uri()}/") for result in tab.run(RESULTS)]
        page, _, anchor = results[0].partition("#") if results else ("", "", "")
        expected_page, _, section = expected.partition("#")
        is_found = page.partition("?")[0] == expected_page
        found += [f"search: '{query}': {error}" for error in errors(tab)]
        if is_found and section:
            tab.events.clear()
            tab.open(f"{html.as_uri()}/{expected_page}")
            element = f"document.getElementById('{anchor}')"
            inside = f".closest('section').querySelector('#{section}, #{section} > *')"
            is_found = bool(anchor) and tab.run(f"{element}{inside} !== null")
        if not is_found:
            found.append(f"search: '{query}' finds {results}, not {expected}")
    return found


def main() -> int:
    """Check all pages and all queries, and return how many problems there are, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("html", type=Path, help="the folder of the built pages")
    parser.add_argument("--screenshots", type=Path, help="a folder for pictures of the pages")
    parser.add_argument("--only", nargs="*", help="pages to look at, such as metrics.html")
    arguments = parser.parse_args()
    path = find_browser()
    if path is None:
        print("No browser is installed, so that no page was opened. Debian's is `chromium`.")
        return 0
    html = arguments.html.resolve()
    pages = [
        str(page.relative_to(html))
        for page in sorted(html.rglob("*.html"))
        if 'http-equiv="refresh"' not in page.read_text(encoding="utf-8")  # it leads to another
    ]
    start = time.monotonic()
    with open_browser(path) as tab:
        found = check_this_check(tab)
        print(*found, sep="\n", end="\n" * bool(found))
        for name in arguments.only or pages:
            for problem in check_page(tab, html / name, name, arguments.screenshots):
                found.append(f"{name}: {problem}")
                print(found[-1], flush=True)
        if not arguments.only:
            for problem in check_searches(tab, html):
                found.append(problem)
                print(problem, flush=True)
    seconds = time.monotonic() - start
    print(f"{len(arguments.only or pages)} pages in {seconds:.0f} seconds: {len(found)} problems")
    return min(1, len(found))


if __name__ == "__main__":
    sys.exit(main())

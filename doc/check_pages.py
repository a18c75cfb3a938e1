"""Open every built page in a headless browser, and say what a reader would stumble over.

``python doc/check_pages.py doc/_build/html`` looks at each page at two widths, light and dark. It
fails if code is clipped, if anything is wider than the window, if a long page shows no list of its
sections, if the copy button of an example copies anything but code, if names in code are
underlined, if the console has an error, if a page asks for anything but files beside it, or if it
has no icon, no description or not the canonical address that the others have. Lines of text have
65 to 80 letters; the bar above a page leads to the parts of the site; the list beside a page of
the reference shows which page it is; on a phone, titles have at most two lines, and code is as
large as the text. Then it shows the
page of wrong addresses at another depth, and types some queries into the search of the pages. It
fails unless the right page comes first.

``--axe axe.min.js`` runs axe-core on eleven pages, and fails if that finds anything serious.
``--screenshots folder`` keeps a picture of each of some pages, ``--only`` looks at some pages, and
``--fast`` at one of five pages of the reference.
"""

from __future__ import annotations

import argparse
import base64
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from browser import Tab, find_browser, open_browser

WIDTHS = {"wide": 1440, "narrow": 390}

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
    const isTable = element.matches(".printed, .output_html");  // of any number of columns
    const mayScroll = isTable || (element.matches("pre, .math-wrapper") && !wide && scrolls);
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
  if (matchMedia("(prefers-color-scheme: dark)").matches) return found;

  // The sizes, which are those of the light page.
  const style = (element) => getComputedStyle(element);
  const linesOf = (element) =>
    Math.round(element.clientHeight / parseFloat(style(element).lineHeight));
  const isIn = (box, element) => {
    const [outer, inner] = [box, element].map((each) => each.getBoundingClientRect());
    return inner.top >= outer.top && inner.bottom <= outer.bottom;
  };
  const title = article.querySelector("section > h1");
  if (!wide && title && linesOf(title) > 2) found.push(`its title has ${linesOf(title)} lines`);
  for (const code of article.querySelectorAll(".highlight pre")) {
    const isSmall = parseFloat(style(code).fontSize) < parseFloat(style(article).fontSize);
    if (!wide && isSmall) found.push(`code is smaller than the text: ${name(code)}`);
  }
  const long = [...article.querySelectorAll(":is(section, dd, li) > p")]
    .filter((text) => isShown(text) && linesOf(text) > 3 && !text.querySelector("math"));
  const letters = long.reduce((sum, text) => sum + text.textContent.trim().length, 0);
  const perLine = letters / long.reduce((sum, text) => sum + linesOf(text) - 0.5, 0);
  if (wide && long.length > 7 && !(perLine >= 65 && perLine <= 80)) {
    found.push(`a line of text has ${Math.round(perLine)} letters`);
  }
  const bar = [...document.querySelectorAll(".top-bar a")].filter(inWindow);
  const links = bar.map((link) => link.textContent).join(" · ");
  if (links !== "Guide · API · Gallery · Changes") found.push(`the bar above it has '${links}'`);
  const isReference = article.querySelector("dl.py > dt.sig") !== null;
  const current = document.querySelector(".sidebar-tree .current-page > a");
  const list = document.querySelector(".sidebar-scroll");
  if (wide && isReference && !(current && title.textContent.startsWith(current.textContent))) {
    found.push("the list of pages does not mark this one");
  }
  if (wide && current && !isIn(list, current)) found.push("the mark of this page is out of sight");
  return found;
})()
"""

# What the copy buttons of examples put into the clipboard.
COPIES = """
[...document.querySelectorAll("div.highlight pre")]
  .filter((pre) => pre.querySelector(".gp") && pre.textContent.startsWith(">>> "))
  .map((pre) => window.codeToCopy(pre))
"""

# What search engines and browsers read of a page.
HEAD = """
(() => {
  const all = (selector, name) =>
    [...document.querySelectorAll(selector)].map((element) => element[name]);
  return {
    descriptions: all("meta[name=description]", "content"),
    icons: all("link[rel~=icon]", "href"),
    canonical: all("link[rel=canonical]", "href"),
    bar: all(".top-bar a", "href"),
  };
})()
"""
NOT_FOUND = "404.html"
WITHOUT_DESCRIPTION = ("_modules/", "genindex.html", "search.html")

# Where a page leads to.
TARGETS = """
[...document.querySelectorAll("a[href], form")].map((each) => each.href ?? each.action)
"""

# What axe-core finds, when the colours have changed.
AXE = """
new Promise((resolve) => setTimeout(resolve, 300)).then(() => axe.run()).then((found) =>
  found.violations
    .filter((each) => ["serious", "critical"].includes(each.impact))
    .map((each) => `${each.id}, ${each.nodes.length} times: ${each.help}: ${each.nodes[0].html}`))
"""
AXE_PAGES = [
    NOT_FOUND,
    "auto_examples/index.html",
    "auto_examples/plot_three_models.html",
    "conventions.html",
    "generated/ranking_scores.ndcg_score.html",
    "how_to.html",
    "index.html",
    "metrics.html",
    "reference.html",
    "search.html?q=MAP",
    "try_it.html",
]
AXE_SCRIPT = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"

# What a reader types, and the page, or its section, that should be the first result.
SEARCHES = {
    "MAP": "metrics.html#average-precision",
    "nDCG": "metrics.html#dcg-and-ndcg",
    "MRR": "metrics.html#reciprocal-rank",
    "ndcg": "metrics.html#dcg-and-ndcg",
    "GAUC": "metrics.html#grouped-auc",
    "P@5": "metrics.html#precision-at-k",
    "sample_weight": "metrics.html#what-all-metrics-share",
    "item_weight": "metrics.html#item-weights",
    "ties": "tie_report.html",
    "qid": "getting_started.html",
    "pandas": "tables.html",
    "two tables": "tables.html",
    "list of ids": "lists_of_ids.html",
    "RAG": "rag.html",
    "unjudged": "unjudged.html",
    "duckdb": "scale.html",
    "macro average": "report.html",
    "error": "troubleshooting.html",
    "plot": "report.html",
    "regression test": "gates.html",
    "cite": "about.html",
    "top-k accuracy": "class_labels.html",
    "success@k": "metrics.html#hit-rate",
    "padding": "layouts.html",
    "speed": "scale.html#several-cores",
    "confidence interval": "significance.html",
    "grid search": "model_selection.html",
    "GridSearchCV": "model_selection.html",
    "dataframe": "tables.html",
    "torchmetrics": "moving.html",
    "scikit-learn": "moving.html#scikit-learn",
    "xgboost": "rankers.html",
    "dask": "clusters.html#dask",
    "pytorch": "streaming.html",
    "ndcg_score": "generated/ranking_scores.ndcg_score.html",
    "add a metric": "extending.html",
    "semicolon": "your_files.html",
    "cumulative gain": "metrics.html#dcg-and-ndcg",
    "undefined": "metrics.html#what-all-metrics-share",
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
<section><h1 style="line-height: 1">A title<br>of three<br>lines</h1></section>
<dl class="py"><dt class="sig"></dl>
<dl style="line-height: 1.5">LONG_TEXTS</dl>
<nav class="top-bar" style="display: flex"><a href="missing.html">Guide</a></nav>
<div class="highlight" style="width: 5em"><pre style="overflow: auto"><span
 class="gp">&gt;&gt;&gt; </span><span style="text-decoration: underline">a_long_line</span> = 1
</pre></div>
<p style="width: 1500px">wide</p><a href="mailto:ndcg@10">ndcg@10</a>
<img src="https://ranking-scores.invalid/picture.svg"><img src="missing.svg">
<script>
  window.codeToCopy = (pre) => pre.textContent;
  console.error("this is printed");
  throw new Error("this is thrown");
</script></article></div>
<div class="sidebar-scroll sidebar-tree" style="height: 1em; overflow: hidden"><br>
<p class="current-page"><a>another page</a></p></div></body></html>""".replace(
    "LONG_TEXTS", f"<dd><p style='width: 100%'>{'long lines ' * 99}</p></dd>" * 8
)
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
    "it has 0 descriptions",
    "it has no icon",
    "narrow, light: its title has 3 lines",
    "code is smaller than the text",
    "a line of text has",
    "the bar above it has 'Guide'",
    "its bar leads to",
    "the list of pages does not mark this one",
    "the mark of this page is out of sight",
]
AXE_FAULT = "image-alt"


def check_this_check(tab: Tab, axe: str | None) -> list[str]:
    """Return which faults of a faulty page are not found."""
    faults = FAULTS
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "faulty.html")
        page.write_text(FAULTY, encoding="utf-8")
        found = check_page(tab, page, page.name, None)
        if axe is not None:
            faults = [*FAULTS, AXE_FAULT]
            found += check_by_axe(tab, {page.name: page.as_uri()}, axe)
    return [
        f"this check overlooks '{fault}'"
        for fault in faults
        if not any(fault in problem for problem in found)
    ]


def address_of(html: Path) -> str | None:
    """Return the address of the site, where the first page has a canonical address."""
    text = (html / "index.html").read_text(encoding="utf-8")
    found = re.search(r'<link rel="canonical" href="(.*?)index\.html">', text)
    return found[1] if found else None


def check_head(head: dict[str, Any], name: str, address: str | None) -> list[str]:
    """Return what is wrong with what search engines and browsers read of a page."""
    found = []
    descriptions = head["descriptions"]
    if len(descriptions) != 1 and not name.startswith(WITHOUT_DESCRIPTION):
        found.append(f"it has {len(descriptions)} descriptions")
    found += [f"its description is '{text}'" for text in descriptions if not 10 < len(text) <= 200]
    if not any(path_of(icon).exists() for icon in head["icons"]):
        found.append("it has no icon")
    expected = [] if address is None or name == NOT_FOUND else [f"{address}{name}"]
    found += [f"its bar leads to {url}" for url in head["bar"] if not path_of(url).is_file()]
    if head["canonical"] != expected:
        found.append(f"its canonical address is {head['canonical']}, not {expected}")
    return found


def path_of(url: str) -> Path:
    """Return the file of an address."""
    return Path(unquote(urlsplit(url).path))


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


def check_page(
    tab: Tab, page: Path, name: str, screenshots: Path | None, address: str | None = None
) -> list[str]:
    """Look at one page in every way that there is, and return what is wrong with it."""
    tab.events.clear()
    tab.look(width=WIDTHS["wide"], dark=False)
    tab.open(page.as_uri())
    found = check_head(tab.run(HEAD), name, address)
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


def place_not_found(html: Path, folder: Path, address: str | None) -> Path:
    """Copy the page of wrong addresses to another depth, as a server shows it, and return it.

    If the address of the site is known, it is the base of the page. The folder takes its place.
    """
    text = (html / NOT_FOUND).read_text(encoding="utf-8")
    old = f'<head><base href="{address}">' if address else "<head>"
    page = folder / "a" / "wrong" / "address.html"
    page.parent.mkdir(parents=True)
    base = f'<head><base href="{html.as_uri()}/">'
    page.write_text(text.replace(old, base, 1), encoding="utf-8")
    return page


def check_links(tab: Tab, html: Path) -> list[str]:
    """Return which addresses of the page of wrong addresses, which is open, lead nowhere."""
    targets = [url for url in tab.run(TARGETS) if url.startswith("file:")]
    found = [f"it leads to {url}" for url in targets if not path_of(url).is_file()]
    needed = ["index.html", "getting_started.html", "how_to.html", "search.html", NOT_FOUND]
    reached = {path_of(url) for url in targets}
    return found + [f"it has no link to {name}" for name in needed if html / name not in reached]


def check_by_axe(tab: Tab, urls: dict[str, str], axe: str) -> list[str]:
    """Run axe-core on some pages, and return what it finds that is serious or critical."""
    found = []
    for name, url in urls.items():
        tab.events.clear()
        tab.open(url)
        if name.startswith("search.html?"):
            tab.run(RESULTS)
        tab.run(f"{axe}; 0")
        for size, width in WIDTHS.items():
            for dark in (False, True):
                tab.look(width=width, dark=dark)
                looks = f"{size}, {'dark' if dark else 'light'}"
                found += [f"{name}: {looks}: axe-core: {each}" for each in tab.run(AXE)]
    return found


# Marks a word of the title of an icon, as after a search for it, and waits until that is done.
MARK = "localStorage.setItem('sphinx_highlight_terms', 'menu')"
WAIT = "new Promise((resolve) => setTimeout(resolve, 100))"


def check_marks(tab: Tab, html: Path) -> list[str]:
    """Return the errors of a page that is opened after a search."""
    tab.events.clear()
    tab.run(MARK)
    tab.open((html / "index.html").as_uri())
    tab.run(WAIT)
    return [f"index.html, after a search: {error}" for error in errors(tab)]


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
    parser.add_argument(
        "--fast", action="store_true", help="look at one of five pages of the reference"
    )
    parser.add_argument("--axe", type=Path, help="the script of axe-core, axe.min.js")
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
    if arguments.fast:  # the pages of the reference are made alike
        reference = [name for name in pages if name.startswith("generated/")]
        pages = sorted({*pages} - {*reference} | {*reference[::5]})
    address = address_of(html)
    script = arguments.axe or (AXE_SCRIPT if AXE_SCRIPT.exists() else None)
    axe = script.read_text(encoding="utf-8") if script else None
    start = time.monotonic()
    with open_browser(path) as tab, tempfile.TemporaryDirectory() as folder:
        not_found = place_not_found(html, Path(folder), address)
        found = check_this_check(tab, axe)
        print(*found, sep="\n", end="\n" * bool(found))
        for name in arguments.only or pages:
            page = not_found if name == NOT_FOUND else html / name
            problems = check_page(tab, page, name, arguments.screenshots, address)
            problems += check_links(tab, html) if name == NOT_FOUND else []
            for problem in problems:
                found.append(f"{name}: {problem}")
                print(found[-1], flush=True)
        if not arguments.only:
            for problem in (*check_searches(tab, html), *check_marks(tab, html)):
                found.append(problem)
                print(problem, flush=True)
        if axe is None:
            print("axe-core was not run, since its script is not there: see CONTRIBUTING.rst.")
        elif not arguments.only:
            urls = {name: f"{html.as_uri()}/{name}" for name in AXE_PAGES}
            for problem in check_by_axe(tab, urls | {NOT_FOUND: not_found.as_uri()}, axe):
                found.append(problem)
                print(problem, flush=True)
    seconds = time.monotonic() - start
    print(f"{len(arguments.only or pages)} pages in {seconds:.0f} seconds: {len(found)} problems")
    return min(1, len(found))


if __name__ == "__main__":
    sys.exit(main())

// What the pages do beside being read: copy code without prompts, label cells on a phone, scroll
// by keys, open pictures alone, and show a page that was found as one result.

// The code of a block. Of a doctest that is what follows the prompts, without the output; of a
// console, the commands. Everything else is copied as it is.
function codeToCopy(pre) {
  const lines = pre.textContent.replace(/\n+$/, "").split("\n");
  if (lines.some((line) => line.startsWith(">>> "))) {
    let inSource = false;
    return lines
      .filter((line) => {
        const continues = inSource && (line.startsWith("... ") || line === "...");
        inSource = line.startsWith(">>> ") || continues;
        return inSource;
      })
      // An empty line ends a block where code is pasted into a prompt.
      .flatMap((line, at, source) => {
        const ends = line.startsWith(">>> ") && at && /^\.\.\. +\S/.test(source[at - 1]);
        return ends ? ["", line.slice(4)] : [line.slice(4)];
      })
      .join("\n");
  }
  const commands = lines.filter((line) => line.startsWith("$ "));
  return (commands.length ? commands.map((line) => line.slice(2)) : lines).join("\n");
}

function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll("article div.highlight")) {
    const pre = block.querySelector("pre");
    if (!pre || block.closest(".sphx-glr-script-out")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.title = "Copy the code without prompts and output";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(codeToCopy(pre));
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    block.append(button);
  }
}

// On a phone each row of a table is a block, in which each cell says which column it is.
function labelCells() {
  for (const table of document.querySelectorAll("article table.docutils")) {
    const columns = [...table.querySelectorAll("thead tr:last-child > *")];
    for (const row of table.querySelectorAll("tbody tr")) {
      [...row.cells].forEach((cell, column) => {
        const label = columns[column] && columns[column].textContent.trim();
        if (label) cell.dataset.label = label;
      });
    }
  }
}

// What is wider than the window scrolls by the arrow keys, if it can have the focus.
function letScroll() {
  for (const box of document.querySelectorAll("article pre, .math-wrapper, .printed, .output_html")) {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

// The two columns beside a page are regions with names.
function nameRegions() {
  const names = { ".sidebar-drawer": "Pages", ".toc-drawer": "Sections" };
  for (const [region, name] of Object.entries(names)) {
    const element = document.querySelector(region);
    if (element) element.setAttribute("aria-label", name);
  }
}

// The page that is read is marked in the list of pages, which is longer than the window.
function showCurrentPage() {
  const list = document.querySelector(".sidebar-scroll");
  const current = list && list.querySelector(".current-page > a");
  if (!current) return;
  const below = current.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom;
  if (below > 0) list.scrollTo({ top: below + list.clientHeight / 2, behavior: "instant" });
}

// On a phone the words in a picture are small. It leads to the picture alone, which can be zoomed.
function linkPictures() {
  if (!matchMedia("(max-width: 48em)").matches) return;
  for (const picture of document.querySelectorAll("article img[src$='.svg']")) {
    if (picture.closest("a, .sphx-glr-thumbcontainer")) continue;
    const link = document.createElement("a");
    link.href = picture.src;
    link.title = "Open the picture alone";
    picture.replaceWith(link);
    link.append(picture);
  }
}

// A page may be found by its title, its text, the words of its index and what it documents. It is
// one result, with its text. A section that is found by its title is a result of its own.
function joinResults(results) {
  const first = new Map();
  const pageOf = (item) => item.querySelector("a").href.split(/[?#]/)[0];
  for (const item of results.querySelectorAll("ul.search > li:not([hidden])")) {
    const page = pageOf(item), anchor = item.querySelector("a").hash.slice(1);
    const isWhole = !anchor || item.matches(".kind-index") || page.endsWith(`/${anchor}.html`);
    if (!first.has(page)) first.set(page, item);
    else if (isWhole) item.hidden = true;
  }
  for (const text of results.querySelectorAll("li[hidden] > .context")) {
    const shown = first.get(pageOf(text.parentNode));
    if (shown && !shown.querySelector(".context")) shown.append(text);
  }
}

// What was searched is marked in the page that was found, but the titles of icons have no place for
// a mark, and trying to set one is an error.
for (const title of document.querySelectorAll("svg title")) title.classList.add("nohighlight");

// A page that is read from a disk may not read the others to quote what was found in them.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

document.addEventListener("DOMContentLoaded", () => {
  addCopyButtons();
  labelCells();
  nameRegions();
  showCurrentPage();
  linkPictures();
  letScroll();
  addEventListener("resize", letScroll);
  const results = document.getElementById("search-results");
  if (results) {
    const join = () => joinResults(results);
    new MutationObserver(join).observe(results, { childList: true, subtree: true });
  }
});

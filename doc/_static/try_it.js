// Computes scores in the page "Try it on your files". Nothing is loaded until a reader asks for
// scores: then Python, from the address that the element of this script has, and the package, which
// is beside this script. What is in the form goes to the function `answer` of try_it_page.py, and
// nowhere else.

{
  const { src, dataset: { pyodide: runtime } } = document.currentScript;
  const LIBRARIES = ["numpy", "scipy", "scikit-learn", "joblib"];
  const FILES = ["judgments", "run", "baseline"];
  const TEXTS = ["scores", "at_least", "max_drop", "options"];
  const EXAMPLE = {
    judgments: `{"q1": {"guide": 2, "faq": 1}, "q2": {"api": 1}, "q3": {"sdk": 1, "api": 1}}`,
    run: `{
  "q1": {"faq": 8.1, "guide": 8.1, "blog": 3.0},
  "q2": {"sdk": 5.5, "api": 4.0},
  "q3": {"sdk": 7.2, "faq": 1.0}
}`,
    scores: "ndcg@10 map mrr@10",
    at_least: "ndcg@10=0.9",
  };

  const form = document.getElementById("try-it");
  const result = document.getElementById("try-it-result");
  const part = (name) => result.querySelector(`.${name}`);

  function loadScript(url) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = url;
      script.addEventListener("load", resolve);
      script.addEventListener("error", () => {
        script.remove();
        reject(new Error(`${url} cannot be loaded.`));
      });
      document.head.append(script);
    });
  }

  // Says what happens, and waits until that is painted, since Python leaves the page no time.
  function say(text) {
    part("state").textContent = text;
    return new Promise((resolve) => setTimeout(resolve, 50));
  }

  async function startPython() {
    await say(`Loading Python from ${runtime}. The first time, this takes a while.`);
    await loadScript(`${runtime}pyodide.js`);
    const python = await loadPyodide({ indexURL: runtime });
    await say("Loading NumPy, SciPy and scikit-learn.");
    await python.loadPackage(LIBRARIES);
    await say("Loading the package.");
    await loadScript(new URL("try_it_package.js", src).href);
    const bytes = Uint8Array.from(atob(packedForTryIt), (letter) => letter.charCodeAt(0));
    python.unpackArchive(bytes, "zip");
    return python.pyimport("try_it_page");
  }

  let python = null;

  // The module of the page in Python. A start that failed is tried again the next time.
  function pythonPart() {
    python ??= startPython().catch((error) => {
      python = null;
      throw error;
    });
    return python;
  }

  function readFile(file) {
    return new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.addEventListener("load", () => resolve(reader.result.replace(/^.*,/, "")));
      reader.addEventListener("error", () => reject(new Error(`${file.name} cannot be read.`)));
      reader.readAsDataURL(file);
    });
  }

  async function readForm() {
    const fields = {};
    for (const name of FILES) {
      const [file] = form.elements[`${name}_file`].files;
      const text = form.elements[name]?.value ?? "";
      fields[name] = { name: file?.name ?? "", data: file ? await readFile(file) : "", text };
    }
    for (const name of TEXTS) fields[name] = form.elements[name].value;
    return fields;
  }

  function offer(link, text, type) {
    if (link.href) URL.revokeObjectURL(link.href);
    link.removeAttribute("href");
    link.hidden = text === null;
    if (text !== null) link.href = URL.createObjectURL(new Blob([text], { type }));
  }

  function show(text, where) {
    where.textContent = text;
    where.hidden = text === "";
  }

  async function showAnswer(answer) {
    const gate = { 0: "Done.", 1: "Done: the gate has failed." };
    show(answer.command && `$ ${answer.command}`, part("command"));
    show(answer.said, part("said"));
    show(answer.page === null ? answer.printed : "", part("printed"));
    offer(part("page"), answer.page, "text/html");
    offer(part("report"), answer.report, "application/json");
    const frame = part("frame");
    frame.hidden = answer.page === null;
    if (answer.page !== null) {
      const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
      frame.srcdoc = answer.page;
      await loaded;
      frame.style.height = `${frame.contentDocument.documentElement.scrollHeight + 2}px`;
    }
    await say(gate[answer.status] ?? "The scores cannot be computed:");
  }

  async function compute() {
    const button = form.querySelector("[type=submit]");
    button.disabled = true;
    result.hidden = false;
    try {
      const fields = JSON.stringify(await readForm());
      const page = await pythonPart();
      await say("Computing.");
      await showAnswer(JSON.parse(await page.answer(fields)));
    } catch (error) {
      const nothing = { command: "", printed: "", page: null, report: null };
      await showAnswer({ ...nothing, said: error.message, status: 3 });
    } finally {
      button.disabled = false;
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    compute();
  });

  form.querySelector(".example").addEventListener("click", () => {
    form.reset();
    for (const [name, text] of Object.entries(EXAMPLE)) form.elements[name].value = text;
  });
}

// Live mode of one page: makes its code cells editors, runs them, keeps the edits. Loaded by boot.mjs on demand.
import { Outputs } from "./outputs.mjs";
import { Session } from "./session.mjs";
import { Store } from "./store.mjs";

/** Make an element: el("button", {class: "x", onclick: f}, "text", child, …). */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const button = (text, onclick, attributes = {}) => el("button", { type: "button", class: "live-button", onclick, ...attributes }, text);

class Cell {
  constructor(page, data, number) {
    Object.assign(this, data);      // index, key, source, tags, alts, visible, role, …
    this.page = page;
    this.number = number;
    this.label = `cell ${number}`;
    this.text = data.source;
    this.ran = 0;                   // the session's generation in which it ran last
    this.element = data.visible ? document.getElementById(`cell-${data.index}`) : null;
    if (this.element && this.role !== "test") this.outputs = new Outputs(this.element, data.alts, data.tags);
  }

  get edited() {
    return this.text !== this.source;
  }

  /** Replace the printed code by an editor, or leave it as it is in a locked cell. */
  open(createEditor) {
    if (!this.element) return;
    this.element.classList.add("live");
    const input = this.element.querySelector(".cell_input");
    const tools = el("div", { class: "live-tools", role: "group", "aria-label": `Cell ${this.number}` });
    if (this.role === "test") return;      // tests run with Check
    tools.append(button("Run", () => this.page.runOne(this), { title: "Run this cell (Ctrl+Enter)", "aria-label": `Run cell ${this.number}` }));
    if (this.role === "code") {
      tools.append(button("Run to here", () => this.page.runMany(this.page.cells.slice(0, this.page.cells.indexOf(this) + 1)),
        { title: "Run all cells from the first to this one", "aria-label": `Run all cells up to cell ${this.number}` }));
    }
    if (!input) return;
    const folded = input.closest("details");      // code that the page hides at first: its buttons stay in view
    if (this.locked) {
      (folded ?? input).after(tools);
      return;
    }
    const code = el("div", { class: "live-code" });
    this.editor = createEditor(code, {
      text: this.text,
      label: `Code of cell ${this.number}`,
      onChange: (text) => this.#changed(text),
      keys: {
        "Mod-Enter": () => this.page.runOne(this),
        "Ctrl-Enter": () => this.page.runOne(this),
        "Shift-Enter": () => {
          this.page.runOne(this);
          this.page.focusAfter(this);
        },
      },
    });
    this.resetButton = button("Reset", () => this.reset(), { "aria-label": `Reset cell ${this.number} to the original code`, hidden: !this.edited });
    tools.append(this.resetButton);
    input.hidden = true;
    input.after(code);
    (folded ?? code).after(tools);
    folded?.addEventListener("toggle", () => this.editor.measure());
  }

  #changed(text) {
    this.text = text;
    this.resetButton.hidden = !this.edited;
    this.page.save();
    this.page.onEdit?.(this);
  }

  set(text) {
    if (this.editor) this.editor.text = text;
    else this.text = text;
  }

  /** The original code and the recorded output again. */
  reset() {
    this.set(this.source);
    this.outputs?.reset();
    this.editor?.focus();
  }

  async run(namespace = "page") {
    const { session } = this.page;
    this.element?.classList.add("live-running");
    this.outputs?.begin({ edited: this.edited });
    let failure = null;
    const result = await session.run({
      source: this.text,
      label: this.label,
      namespace,
      onOutput: (output) => {
        if (output.kind === "error") failure = output;
        this.outputs?.add(output);
      },
    });
    this.outputs?.end();
    this.element?.classList.remove("live-running");
    this.element?.classList.toggle("live-failed", !result.ok);
    this.ran = session.generation;
    return { ...result, failure };
  }
}

export class Page {
  constructor(bar, data) {
    this.bar = bar;
    this.data = data;
    this.status = bar.querySelector(".live-status");
    this.store = new Store(location.pathname, data.version);
    let number = 0;
    this.cells = data.cells.map((cell) => new Cell(this, cell, cell.visible ? (number += 1) : number));
    this.session = new Session(data.files, (text) => this.say(text));
    this.queue = Promise.resolve();
  }

  say(text) {
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  /** The bar's buttons, the editors, the kept edits; then Python. */
  async open() {
    this.session.start().catch(() => {});      // Python loads while the editors are made; startPython() tells how it went
    try {
      this.build((await import("./editor.mjs")).createEditor);
    } catch (error) {
      this.session.stop();
      throw error;
    }
    this.restore();
    await this.startPython();
  }

  build(createEditor) {
    this.tools = el("div", { class: "live-actions" });
    this.runAllButton = button("Run all", () => this.runMany(this.cells));
    this.stopButton = button("Stop", () => this.stop(), { disabled: true });
    this.tools.append(this.runAllButton, this.stopButton, button("Reset page", () => this.resetAll()));
    const start = this.bar.querySelector(".live-start");
    const hadFocus = document.activeElement === start || document.activeElement === document.body;
    start.replaceWith(this.tools);
    this.bar.classList.add("live-open");
    this.bar.append(el("p", { id: "live-keys", class: "live-keys" },
      "Ctrl+Enter runs a cell, Shift+Enter runs it and goes on to the next. Tab indents; Escape, then Tab, leaves the editor."));
    for (const cell of this.cells) cell.open(createEditor);
    if (hadFocus) this.runAllButton.focus();
  }

  async startPython() {
    this.bar.querySelector(".live-trouble")?.remove();
    try {
      this.say("Loading Python …");
      await this.session.start();
      this.say("Python is ready. Change any cell and run it.");
      return true;
    } catch (error) {
      if (error.message === "stopped") return false;
      this.say(`Python could not be loaded: ${error.message}`);
      this.bar.append(el("p", { class: "live-trouble" },
        "Check the connection, then ", button("try again", () => this.startPython()), ". Or ",
        el("a", { href: new URL(this.data.notebook, this.data.url).href, download: `${this.data.name}.ipynb` }, "download the notebook"),
        " and run it in Jupyter. Your changes stay in this browser."));
      return false;
    }
  }

  // Edits

  save() {
    const cells = Object.fromEntries(this.cells.filter((cell) => cell.edited).map((cell) => [cell.key, cell.text]));
    if (!this.store.write(cells) && !this.warned) {
      this.warned = true;
      this.say("This browser does not keep changes: download the notebook before you leave the page.");
    }
  }

  restore() {
    const kept = this.store.read();
    if (!kept) return;
    if (kept.version === this.store.version) {
      this.put(kept.cells);
      return;
    }
    const note = el("p", { class: "live-note" }, "This browser keeps changes that you made to an earlier version of this page. ",
      button("Use them", () => {
        this.put(kept.cells);
        note.remove();
      }), " ", button("Discard them", () => {
        this.save();
        note.remove();
      }));
    this.bar.append(note);
  }

  /** Put texts (key -> text) into the cells; the number of cells that took one. */
  put(texts) {
    let count = 0;
    for (const cell of this.cells) {
      if (cell.locked || typeof texts[cell.key] !== "string") continue;
      cell.set(texts[cell.key]);
      count += 1;
    }
    return count;
  }

  resetAll() {
    const edited = this.cells.filter((cell) => cell.edited);
    if (edited.length && !confirm(`Discard your changes to ${edited.length === 1 ? "one cell" : `${edited.length} cells`} of this page?`)) return;
    for (const cell of this.cells) {
      cell.set(cell.source);
      cell.outputs?.reset();
      cell.element?.classList.remove("live-failed");
    }
    this.save();
    this.session.forget("page");
    for (const cell of this.cells) cell.ran = 0;
    this.say("The page is as it was. Python starts from nothing.");
  }

  // Running

  /** One thing at a time: `work` starts when what was asked before has ended. */
  enqueue(work) {
    this.pending = (this.pending ?? 0) + 1;
    this.stopButton.disabled = false;
    const turn = this.turn ?? 0;
    this.queue = this.queue.then(async () => {
      try {
        if (turn === (this.turn ?? 0) && (await this.ready())) return await work();
      } finally {
        this.pending -= 1;
        this.stopButton.disabled = this.pending === 0;
      }
    });
    return this.queue;
  }

  async ready() {
    try {
      await this.session.start();
      return true;
    } catch {
      return this.startPython();
    }
  }

  runOne(cell) {
    return this.enqueue(() => this.#run([cell, ...this.#hiddenAfter(cell)]));
  }

  /** Cells that the page does not show run with the cell that they follow. */
  #hiddenAfter(cell) {
    const at = this.cells.indexOf(cell);
    const after = [];
    for (let next = at + 1; next < this.cells.length && !this.cells[next].visible; next += 1) after.push(this.cells[next]);
    return after;
  }

  runMany(cells) {
    return this.enqueue(() => this.#run(cells, { restart: true }));
  }

  async #run(cells, { restart = false } = {}) {
    if (restart) this.session.forget("page");
    const first = this.cells.find((cell) => cell.visible);     // hidden cells at the top run first
    const opening = this.cells.slice(0, this.cells.indexOf(first)).filter((cell) => !cells.includes(cell) && cell.ran !== this.session.generation);
    for (const cell of [...opening, ...cells]) {
      const { ok, stopped, failure } = await cell.run();
      if (stopped) return;
      if (ok || !cell.visible) continue;
      const above = this.#notRun(cell);
      if (failure?.name === "NameError" && above.length && !restart) {
        this.say("This cell needs the cells above it: running them first …");
        await this.#run([...above, cell], { restart: true });
        return;
      }
      this.say(`${cell.label} ended with ${failure?.name ?? "an error"}.`.replace(/^./, (c) => c.toUpperCase()));
      return;
    }
    this.say(restart ? "All cells have run." : "Done.");
  }

  /** All cells above, when some of them have not run since Python started. */
  #notRun(cell) {
    const above = this.cells.slice(0, this.cells.indexOf(cell));
    return above.some((other) => other.visible && other.ran !== this.session.generation) ? above : [];
  }

  focusAfter(cell) {
    this.cells.slice(this.cells.indexOf(cell) + 1).find((other) => other.editor)?.editor.focus();
  }

  async stop() {
    this.turn = (this.turn ?? 0) + 1;      // forget what waits in the queue
    this.say("Stopping …");
    const { restarted } = await this.session.stop();
    if (!restarted) {
      this.say("Stopped.");
      return;
    }
    if (await this.startPython()) this.say("Stopped. Python was restarted, so its variables are gone: run the cells again from the top.");
  }
}

/** Live mode for the page that `bar` stands on. */
export async function open(bar) {
  const url = new URL(bar.dataset.live, location.href);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname}: ${response.status} ${response.statusText}`);
  const data = { ...(await response.json()), url: url.href };
  const page = data.kind === "assignment" ? new (await import("./assignment.mjs")).Assignment(bar, data) : new Page(bar, data);
  globalThis.livePage = page;      // for the curious, and for the tests
  await page.open();
}

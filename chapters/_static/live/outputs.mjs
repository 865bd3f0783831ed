// What a cell shows below its code. The recorded output stays until the cell runs, and comes back on reset.

export class Outputs {
  /** cell: the cell's element. alts: texts for the figures, in order. tags: the cell's tags. */
  constructor(cell, alts = [], tags = []) {
    this.recorded = cell.querySelector(".cell_output");
    this.frames = this.recorded ? [...this.recorded.querySelectorAll("figure, img")].filter((node) => node.tagName === "FIGURE" || !node.closest("figure")) : [];
    this.alts = alts;
    this.tags = tags;
    this.box = document.createElement("div");
    this.box.className = "cell_output docutils container live-output";
    this.place = this.recorded ?? null;
    if (!this.recorded) {
      this.place = document.createElement("div");
      this.place.hidden = true;
      cell.append(this.place);
    }
    this.shown = this.place;      // the element that is in the page now
  }

  /** Start a run: the first output, or the end, replaces what is there. */
  begin({ edited = false } = {}) {
    this.edited = edited;
    this.images = 0;
    this.last = null;
    this.fresh = true;
  }

  #replace() {
    if (!this.fresh) return;
    this.fresh = false;
    this.box.replaceChildren();
    this.shown.replaceWith(this.box);
    this.shown = this.box;
  }

  end() {
    this.#replace();
    this.box.hidden = this.box.childElementCount === 0;
  }

  add(output) {
    this.#replace();
    this.box.hidden = false;
    if (this.tags.includes("remove-output")) return;
    if (output.kind === "stream") this.#stream(output);
    else {
      this.last = null;
      if (output.kind === "result") this.#text("text_plain", output.text);
      else if (output.kind === "image") this.#image(output);
      else if (output.kind === "html") this.#html(output.html);
      else if (output.kind === "error") this.#text("live-error", output.traceback);
    }
  }

  #text(kind, text) {
    const outer = document.createElement("div");
    outer.className = `output ${kind} highlight-myst-ansi notranslate`;
    const pre = document.createElement("pre");
    pre.tabIndex = 0;
    pre.textContent = text;
    const inner = document.createElement("div");
    inner.className = "highlight";
    inner.append(pre);
    outer.append(inner);
    this.box.append(outer);
    return pre;
  }

  #stream({ name, text }) {
    if (this.tags.includes(`remove-${name}`)) return;
    if (this.last?.name === name) this.last.pre.append(text);
    else this.last = { name, pre: this.#text(name === "stderr" ? "stderr" : "stream", text) };
  }

  /** A figure takes the place, caption and alt text of the recorded one. */
  #image({ png, width }) {
    const frame = this.frames[this.images]?.cloneNode(true) ?? document.createElement("img");
    const image = frame.tagName === "IMG" ? frame : frame.querySelector("img");
    const was = this.alts[this.images] || image.alt;
    image.src = `data:image/png;base64,${png}`;
    image.removeAttribute("height");
    image.removeAttribute("style");
    image.width = width;
    image.alt = this.edited || !was ? `Figure drawn by the changed code${was ? ` (before the change: ${was})` : ""}` : was;
    if (frame.parentElement?.tagName !== "A") this.box.append(frame);
    this.images += 1;
  }

  #html(html) {
    const frame = document.createElement("iframe");
    frame.title = "Output of this cell";
    frame.sandbox = "allow-same-origin";     // no scripts
    frame.srcdoc = html;
    frame.onload = () => { frame.height = frame.contentDocument.documentElement.scrollHeight; };
    this.box.append(frame);
  }

  /** Show a note with buttons, below the output. */
  note(text, ...buttons) {
    const note = document.createElement("p");
    note.className = "live-note";
    note.append(text, ...buttons);
    this.box.append(note);
    this.box.hidden = false;
  }

  /** Back to the recorded output. */
  reset() {
    if (this.shown !== this.place) this.shown.replaceWith(this.place);
    this.shown = this.place;
  }
}

// Live mode of an assignment page: answers are editable, "Check" runs an exercise's visible tests, and the notebook
// to hand in can be downloaded. The page holds the released notebook only: no answers, no hidden tests.
import { answersOf, fill } from "./notebook.mjs";
import { Page, el } from "./page.mjs";

const button = (text, onclick, attributes = {}) => el("button", { type: "button", class: "live-button", onclick, ...attributes }, text);
/** A message as nodes: what stands between backticks is code. */
const rich = (text) => text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));
const points = (number) => `${number} ${number === 1 ? "point" : "points"}`;

class Exercise {
  constructor(page, name, cells) {
    Object.assign(this, { page, name, cells });
    this.tests = cells.filter((cell) => cell.role === "test" && cell.counts);
    this.points = this.tests.reduce((sum, cell) => sum + cell.points, 0);
    this.scored = 0;
    this.state = "open";      // open, passed, failed
  }

  place() {
    this.checkButton = button("Check", () => this.page.check(this), { class: "live-button live-primary", "aria-label": `Check: ${this.name}` });
    this.result = el("div", { class: "live-result", role: "status" }, `Visible tests: ${points(this.points)}. Not checked yet.`);
    this.panel = el("div", { class: "live-check", role: "group", "aria-label": `Check: ${this.name}` }, this.checkButton, this.result);
    this.cells.filter((cell) => cell.element).at(-1).element.after(this.panel);
  }

  /** Show the outcome: [{cell, ok, failure}] for the visible tests. */
  show(outcomes) {
    this.scored = outcomes.reduce((sum, { cell, ok }) => sum + (ok ? cell.points : 0), 0);
    this.state = outcomes.every(({ ok }) => ok) ? "passed" : "failed";
    this.panel.dataset.state = this.state;
    const lines = outcomes.map(({ cell, ok, failure }, at) => el("li", { class: ok ? "live-pass" : "live-fail" },
      `Test ${at + 1} of ${outcomes.length} (${points(cell.points)}): `, el("strong", {}, ok ? "passed" : "not passed"),
      ...(ok ? [] : [el("p", {}, ...rich(this.message(failure)))])));
    this.result.replaceChildren(
      el("p", {}, this.state === "passed" ? "All visible tests pass." : `${this.scored} of ${points(this.points)} so far.`),
      el("ol", {}, ...lines));
  }

  message(failure) {
    if (!failure) return "The test ended without a message.";
    if (failure.name === "AssertionError") return failure.message || "The test's assertion does not hold.";
    if (failure.name === "NotImplementedError") return "Not answered yet: the answer cell still raises NotImplementedError.";
    return `${failure.name}: ${failure.message}`;
  }

  /** The answer changed: what was checked may hold no longer. */
  stale() {
    if (this.state === "open") return;
    this.state = "open";
    this.scored = 0;
    delete this.panel.dataset.state;
    this.result.replaceChildren("Changed since the last check.");
    this.page.showProgress();
  }
}

export class Assignment extends Page {
  constructor(bar, data) {
    super(bar, data);
    const names = [...new Set(this.cells.map((cell) => cell.exercise).filter(Boolean))];
    this.exercises = names
      .map((name) => new Exercise(this, name, this.cells.filter((cell) => cell.exercise === name)))
      .filter((exercise) => exercise.tests.length);
  }

  build(createEditor) {
    super.build(createEditor);
    this.runAllButton.replaceWith(button("Check all", () => this.check()));
    this.upload = el("input", { type: "file", accept: ".ipynb", hidden: true, onchange: () => this.read(this.upload.files[0]) });
    this.tools.append(
      button("Download notebook", () => this.download(), { class: "live-button live-primary" }),
      button("Upload", () => this.upload.click(), { title: "Continue a notebook that you downloaded" }), this.upload);
    this.meter = el("progress", { max: this.exercises.reduce((sum, exercise) => sum + exercise.points, 0), value: 0, "aria-label": "Points of the visible tests" });
    this.score = el("p", { class: "live-score" });
    this.bar.append(el("div", { class: "live-progress" }, this.score, this.meter));
    for (const exercise of this.exercises) exercise.place();
    this.showProgress();
  }

  onEdit(cell) {
    this.exercises.find((exercise) => exercise.name === cell.exercise)?.stale();
  }

  showProgress() {
    const passed = this.exercises.filter((exercise) => exercise.state === "passed").length;
    const scored = this.exercises.reduce((sum, exercise) => sum + exercise.scored, 0);
    this.meter.value = scored;
    this.score.textContent = `${passed} of ${this.exercises.length} exercises, ${scored} of ${points(this.meter.max)} of the visible tests. Hidden tests are run when the notebook is graded.`;
  }

  /** An answer cell needs what is given above it, so that runs first. */
  runOne(cell) {
    return this.enqueue(async () => {
      const given = this.cells.slice(0, this.cells.indexOf(cell)).filter((other) => other.role === "given" && other.ran !== this.session.generation);
      for (const each of [...given, cell]) {
        const { ok, stopped, failure } = await each.run();
        if (stopped) return;
        if (!ok) {
          this.say(`${each.label} ended with ${failure?.name ?? "an error"}.`.replace(/^./, (c) => c.toUpperCase()));
          return;
        }
      }
      this.say("Done. Check runs the tests.");
    });
  }

  runMany(cells) {
    return this.enqueue(async () => {
      this.session.forget("page");
      for (const cell of cells.filter((each) => each.role !== "test")) {
        if ((await cell.run()).stopped) return;      // an error in one answer does not keep the others from running
      }
      this.say("Done. Check runs the tests.");
    });
  }

  /** Check one exercise, or all: as in grading, the cells run in order in a fresh Python, tests last. */
  check(only) {
    return this.enqueue(async () => {
      const wanted = only ? [only] : this.exercises;
      const end = this.cells.indexOf(wanted.at(-1).cells.at(-1));
      const outcomes = new Map(wanted.map((exercise) => [exercise, []]));
      this.session.forget("check");
      for (const exercise of wanted) exercise.result.replaceChildren("Checking …");
      for (const cell of this.cells.slice(0, end + 1)) {
        const exercise = wanted.find((each) => each.name === cell.exercise);
        if (cell.role === "test" && !exercise?.tests.includes(cell)) continue;
        const { ok, stopped, failure } = await cell.run("check");
        if (stopped) {
          for (const each of wanted) {
            each.state = "failed";
            each.stale();
            each.result.replaceChildren("Stopped before the tests had ended. Does a loop in an answer ever end?");
          }
          return;
        }
        if (failure?.name === "NotImplementedError" && !cell.edited) cell.outputs?.reset();      // the tests say so
        if (cell.role === "test") outcomes.get(exercise).push({ cell, ok, failure });
      }
      for (const [exercise, results] of outcomes) exercise.show(results);
      this.showProgress();
      const passed = wanted.filter((exercise) => exercise.state === "passed").length;
      this.say(only ? `${only.name}: ${passed ? "all visible tests pass." : "not all visible tests pass; see below the exercise."}`
        : `${passed} of ${wanted.length} exercises pass their visible tests.`);
    });
  }

  answers() {
    return Object.fromEntries(this.cells.filter((cell) => !cell.locked).map((cell) => [cell.grade_id, cell.text]));
  }

  download() {
    const text = JSON.stringify(fill(this.data.document, this.answers()), null, 1) + "\n";
    const url = URL.createObjectURL(new Blob([text], { type: "application/x-ipynb+json" }));
    el("a", { href: url, download: `${this.data.name}.ipynb` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    this.say(`${this.data.name}.ipynb holds your answers: hand in this file.`);
  }

  async read(file) {
    if (!file) return;
    try {
      const { answers, extra } = answersOf(await file.text(), this.data.document);
      const edited = this.cells.some((cell) => cell.edited);
      if (edited && !confirm("Replace the answers on this page by those of the file?")) return;
      const count = this.put(Object.fromEntries(this.cells.filter((cell) => !cell.locked).map((cell) => [cell.key, answers[cell.grade_id]])));
      this.say(`${count} answer cells read from ${file.name}.`
        + (extra ? ` It has ${extra} more code ${extra === 1 ? "cell" : "cells"}, which this page leaves out: move what you need into an answer cell.` : ""));
    } catch (error) {
      this.say(error.message);
    } finally {
      this.upload.value = "";
    }
  }
}

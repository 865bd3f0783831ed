// Notebook files: put answers into the released notebook, and read them back. Nothing else of it changes.

const isAnswer = (cell) => cell.cell_type === "code" && cell.metadata?.nbgrader?.solution === true;
const textOf = (cell) => (Array.isArray(cell.source) ? cell.source.join("") : String(cell.source ?? ""));

/** The notebook with `answers` (grade_id -> text) in its answer cells; metadata and all other cells as released. */
export function fill(notebook, answers) {
  const filled = structuredClone(notebook);
  for (const cell of filled.cells) {
    if (!isAnswer(cell)) continue;
    const text = answers[cell.metadata.nbgrader.grade_id];
    if (text === undefined) continue;
    cell.source = Array.isArray(cell.source) ? text.split(/(?<=\n)/) : text;
    cell.outputs = [];
    cell.execution_count = null;
  }
  return filled;
}

/** Answers in the text of a notebook file: {answers, extra}, where extra counts code cells that the released one lacks. */
export function answersOf(text, released) {
  let notebook;
  try {
    notebook = JSON.parse(text);
  } catch {
    throw new Error("This file is not a notebook (.ipynb).");
  }
  if (!Array.isArray(notebook?.cells)) throw new Error("This file is not a notebook (.ipynb) of version 4.");
  const known = new Set(released.cells.filter(isAnswer).map((cell) => cell.metadata.nbgrader.grade_id));
  const answers = {};
  let extra = 0;
  for (const cell of notebook.cells) {
    const id = cell.metadata?.nbgrader?.grade_id;
    if (isAnswer(cell) && known.has(id)) answers[id] ??= textOf(cell);
    else if (cell.cell_type === "code" && !id && textOf(cell).trim()) extra += 1;
  }
  if (!Object.keys(answers).length) throw new Error("This notebook holds no answers of this assignment.");
  return { answers, extra };
}

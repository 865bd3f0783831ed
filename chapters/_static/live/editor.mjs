// A code cell's editor: CodeMirror with Python colours, Tab, undo and the keys of Jupyter.
import * as cm from "./codemirror.mjs";

/** Put an editor into `parent`. keys: {"Mod-Enter": action, …}. Escape, then Tab, leaves it by keyboard. */
export function createEditor(parent, { text, label, onChange, keys, readOnly = false }) {
  const bindings = Object.entries(keys).map(([key, action]) => ({ key, run: () => (action(), true) }));
  const view = new cm.EditorView({
    parent,
    state: cm.EditorState.create({
      doc: text,
      extensions: [
        cm.Prec.highest(cm.keymap.of([...bindings, { key: "Escape", run: (view) => (view.setTabFocusMode(5000), false) }])),
        cm.keymap.of([cm.indentWithTab, ...cm.defaultKeymap, ...cm.historyKeymap]),
        cm.history(),
        cm.drawSelection(),
        cm.highlightSpecialChars(),
        cm.bracketMatching(),
        cm.indentOnInput(),
        cm.indentUnit.of("    "),
        cm.EditorState.tabSize.of(4),
        cm.EditorState.readOnly.of(readOnly),
        cm.pythonLanguage,
        cm.syntaxHighlighting(cm.classHighlighter),
        cm.EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": "live-keys", tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
        cm.EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
      ],
    }),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    set text(value) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
    },
    focus: () => view.focus(),
    measure: () => view.requestMeasure(),
  };
}

// Python in a worker, as the page sees it: start, run, stop. A worker that does not stop by itself is replaced.

const here = new URL(".", import.meta.url);
const json = async (name) => {
  const response = await fetch(new URL(name, here));
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response.json();
};

export class Session {
  /** files: name -> text, for Python to import. onStatus(text) hears what is going on. */
  constructor(files, onStatus) {
    this.files = files;
    this.onStatus = onStatus;
    this.jobs = new Map();       // id -> {resolve, onOutput}
    this.nextId = 1;
    this.generation = 0;         // counts the workers, so that a caller sees that variables are gone
    this.label = "";
    this.interrupt = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
  }

  /** Start Python, or wait for it. Rejects with an Error that says why it could not be loaded. */
  start() {
    this.started ??= this.#start().catch((error) => {
      this.#end();
      throw error;
    });
    return this.started;
  }

  async #start() {
    const [manifest, place, runnerText] = await Promise.all([
      json("pyodide.json"),
      json("source.json"),
      fetch(new URL("runner.py", here)).then((response) => response.text()),
    ]);
    const source = { core: new URL(place.core, here).href, packages: new URL(place.packages, here).href };
    this.worker = new Worker(new URL("worker.mjs", here), { type: "module" });
    this.generation += 1;
    await new Promise((resolve, reject) => {
      this.abandon = reject;
      this.worker.onerror = (event) => reject(new Error(event.message || "the worker script could not be loaded"));
      this.worker.onmessage = ({ data }) => this.#hear(data, resolve, reject);
      this.worker.postMessage({ type: "start", manifest, source, runnerText, files: this.files, interrupt: this.interrupt });
    });
  }

  #hear(message, resolve, reject) {
    if (message.type === "progress") {
      const mega = (bytes) => Math.round(bytes / 1e6);
      if (message.loaded < message.total) this.onStatus(`Downloading Python: ${mega(message.loaded)} of ${mega(message.total)} MB`);
      else this.onStatus("Starting Python …");
    } else if (message.type === "status") {
      if (message.text === "running" && this.label) this.onStatus(`Running ${this.label} …`);
    } else if (message.type === "ready") resolve();
    else if (message.type === "failed") reject(new Error(message.message));
    else if (message.type === "output") this.jobs.get(message.id)?.onOutput(message.output);
    else if (message.type === "done") {
      const job = this.jobs.get(message.id);
      this.jobs.delete(message.id);
      job?.resolve({ ok: message.ok, stopped: false });
    }
  }

  get busy() {
    return this.jobs.size > 0;
  }

  /** Run a cell: {ok, stopped}. label: what status and tracebacks call it. */
  async run({ source, label, namespace = "page", onOutput = () => {} }) {
    await this.start();
    this.label = label;
    this.onStatus(`Running ${label} …`);
    if (this.interrupt) this.interrupt[0] = 0;
    const id = this.nextId++;
    return new Promise((resolve) => {
      this.jobs.set(id, { resolve, onOutput });
      this.worker.postMessage({ type: "run", id, source, label, namespace });
    });
  }

  forget(namespace) {
    this.worker?.postMessage({ type: "forget", namespace });
  }

  /** Stop what runs: by interrupt where the page may share memory (variables stay), else by a new worker. */
  async stop() {
    if (this.interrupt && this.busy) {
      this.interrupt[0] = 2;
      for (let wait = 0; wait < 20 && this.busy; wait += 1) await new Promise((next) => setTimeout(next, 100));
      if (!this.busy) return { restarted: false };
    }
    this.#end();
    return { restarted: true };
  }

  #end() {
    this.worker?.terminate();
    this.worker = undefined;
    this.started = undefined;
    this.abandon?.(new Error("stopped"));
    for (const job of this.jobs.values()) job.resolve({ ok: false, stopped: true });
    this.jobs.clear();
  }
}

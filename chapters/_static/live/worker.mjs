// A module worker that holds Python (Pyodide). session.mjs starts it and talks to it with messages:
//   to the worker   {type: "start", …} once, then {type: "run", id, source, label, namespace}, {type: "forget", namespace}
//   to the page     progress, status, ready, failed; output and done with the id of the run

let python = null;
let runner = null;
let current = null;      // id of the cell that is running
const realFetch = globalThis.fetch.bind(globalThis);

const send = (message) => globalThis.postMessage(message);

/** Files that Pyodide loads: sizes for the progress, hashes so that nothing else than the pinned version runs. */
class Downloads {
  constructor(manifest, source) {
    this.files = new Map();
    this.early = new Map();
    this.loaded = 0;
    this.total = 0;
    this.failed = new Promise((_, reject) => { this.fail = reject; });   // Pyodide waits for ever for some files
    this.failed.catch(() => {});
    for (const [name, file] of Object.entries(manifest.core)) this.files.set(source.core + name, file);
    for (const file of Object.values(manifest.lock.packages)) this.files.set(source.packages + file.file_name, file);
  }

  expect(url) {
    const file = this.files.get(url);
    if (!file.expected) this.total += file.bytes;
    file.expected = true;
  }

  progress(bytes) {
    this.loaded += bytes;
    send({ type: "progress", loaded: this.loaded, total: Math.max(this.total, this.loaded) });
  }

  /** Start a download before Pyodide asks for it. */
  begin(url) {
    this.early.set(url, this.fetch(url));
    this.early.get(url).catch(() => {});
  }

  async fetch(resource, options = {}) {
    const url = String(resource.url ?? resource);
    const begun = this.early.get(url);
    this.early.delete(url);
    if (begun) return begun;
    try {
      return await this.get(resource, options);
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  /** fetch() for those files: counts the bytes, checks the hash. Everything else passes through. */
  async get(resource, options) {
    const url = String(resource.url ?? resource);
    const file = this.files.get(url);
    if (!file) return realFetch(resource, options);
    const hex = file.sha256;
    if (!globalThis.crypto?.subtle) {     // http without TLS: the browser checks the hash, without progress
      const digest = btoa(String.fromCharCode(...hex.match(/../g).map((pair) => parseInt(pair, 16))));
      const response = await realFetch(url, { integrity: `sha256-${digest}` });
      if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
      this.progress(file.bytes);
      return response;
    }
    const response = await realFetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
    const bytes = new Uint8Array(file.bytes);
    let at = 0;
    for await (const chunk of chunks(response.body)) {
      if (at + chunk.length > bytes.length) throw new Error(`${url} is longer than the pinned version`);
      bytes.set(chunk, at);
      at += chunk.length;
      this.progress(chunk.length);
    }
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    if (Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") !== hex) {
      throw new Error(`${url} is not the pinned version (its hash differs)`);
    }
    return new Response(bytes, { headers: { "Content-Type": url.endsWith(".wasm") ? "application/wasm" : "application/octet-stream" } });
  }

  /** Import a script of Pyodide through the same check. */
  async import(url) {
    const blob = new Blob([await (await this.fetch(url)).arrayBuffer()], { type: "text/javascript" });
    return import(URL.createObjectURL(blob));
  }
}

async function* chunks(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function start({ manifest, source, files, runnerText, interrupt }) {
  const downloads = new Downloads(manifest, source);
  globalThis.fetch = downloads.fetch.bind(downloads);
  const lock = structuredClone(manifest.lock);
  for (const item of Object.values(lock.packages)) item.file_name = source.packages + item.file_name;
  for (const name of Object.keys(manifest.core)) downloads.expect(source.core + name);
  downloads.expect(lock.packages.numpy.file_name);
  send({ type: "status", text: "downloading" });
  for (const url of [source.core + "pyodide.asm.wasm", source.core + "python_stdlib.zip", lock.packages.numpy.file_name]) downloads.begin(url);

  await Promise.race([downloads.failed, load(downloads, { source, lock, files, runnerText, interrupt })]);
}

async function load(downloads, { source, lock, files, runnerText, interrupt }) {
  const [{ loadPyodide }] = await Promise.all([
    downloads.import(source.core + "pyodide.mjs"),
    downloads.import(source.core + "pyodide.asm.js"),   // sets _createPyodideModule, which loadPyodide then uses
  ]);
  python = await loadPyodide({
    indexURL: source.core,
    lockFileURL: URL.createObjectURL(new Blob([JSON.stringify(lock)], { type: "application/json" })),
    packages: ["numpy"],
    env: { HOME: "/home/course" },
    stdout: () => {},
    stderr: () => {},
  });
  if (interrupt) python.setInterruptBuffer(interrupt);
  for (const [name, text] of Object.entries(files)) python.FS.writeFile(name, text);
  python.FS.writeFile("live_runner.py", runnerText);
  runner = python.pyimport("live_runner");
  runner.emit = python.runPython("lambda send: lambda kind, **data: send(kind, __import__('json').dumps(data))")(
    (kind, data) => send({ type: "output", id: current, output: { kind, ...JSON.parse(data) } }),
  );
  send({ type: "ready", version: python.version });

  python.expectPackages = async (text) => {
    const wanted = new Set();
    const visit = (name) => {
      if (wanted.has(name) || python.loadedPackages[name]) return;
      wanted.add(name);
      lock.packages[name].depends.forEach(visit);
    };
    const imports = new Set([...text.matchAll(/^\s*(?:import|from)\s+([\w.]+)/gm)].map((match) => match[1].split(".")[0]));
    for (const name of imports) {
      if (files[name + ".py"]) await python.expectPackages(files[name + ".py"]);
      else if (lock.packages[name]) visit(name);
    }
    if (!wanted.size) return;
    for (const name of wanted) downloads.expect(lock.packages[name].file_name);
    send({ type: "status", text: "downloading" });
    const failed = [];
    await python.loadPackage([...wanted], { messageCallback: () => {}, errorCallback: (text) => failed.push(text), checkIntegrity: false });
    if (failed.length) throw new Error(failed.join("; "));
    send({ type: "status", text: "running" });
  };
}

async function run({ id, source, label, namespace }) {
  current = id;
  let ok = false;
  try {
    await python.expectPackages(source);
    ok = runner.run(source, label, namespace);
  } catch (error) {
    send({ type: "output", id, output: { kind: "error", name: "Error", message: String(error.message ?? error), traceback: String(error.message ?? error) } });
  }
  send({ type: "done", id, ok });
}

let queue = Promise.resolve();   // one thing at a time, in order
globalThis.onmessage = ({ data }) => {
  queue = queue.then(async () => {
    if (data.type === "start") {
      try {
        await start(data);
      } catch (error) {
        send({ type: "failed", message: String(error.message ?? error) });
      }
    } else if (data.type === "run") await run(data);
    else if (data.type === "forget") runner.forget(data.namespace);
  });
};

// Makes the page's figures interactive when they come into view: controls of the browser's own, one drawing.
const wait = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    wait.unobserve(target);
    import(`./${target.dataset.figure}.mjs`).then((figure) => mount(target, figure));   // on failure the picture stays
  }
}, { rootMargin: "300px" });
document.querySelectorAll(".interactive-body").forEach((body) => wait.observe(body));

let count = 0;

/** figure: {initial, controls, draw(state, width), describe(state), change?(state, key, before)}. */
function mount(body, figure) {
  const id = `figure-${(count += 1)}`;
  const alt = body.querySelector("img").alt;
  let state = structuredClone(figure.initial);
  const drawing = document.createElement("div");
  const words = document.createElement("p");
  words.className = "interactive-words";
  words.setAttribute("role", "status");
  const panel = document.createElement("div");
  panel.className = "controls";
  panel.setAttribute("role", "group");
  panel.setAttribute("aria-label", `Controls of the figure: ${figure.name}`);
  const inputs = figure.controls.map((control) => build(control));

  function build(control) {
    const wrap = document.createElement("div");
    wrap.className = `control ${control.type}`;
    const input = document.createElement(control.type === "select" ? "select" : control.type === "button" ? "button" : "input");
    input.id = `${id}-${control.key}`;
    const text = document.createElement("label");
    text.htmlFor = input.id;
    text.textContent = control.label;
    const value = document.createElement("output");
    value.htmlFor = input.id;
    const set = (next) => {
      const before = state;
      state = { ...state, [control.key]: next };
      if (figure.change) state = figure.change(state, control.key, before);
      update();
    };
    if (control.type === "range") {
      Object.assign(input, { type: "range", step: control.step ?? 1 });
      input.addEventListener("input", () => set(Number(input.value)));
      wrap.append(text, input, value);
    } else if (control.type === "select") {
      for (const [key, name] of control.options) input.add(new Option(name, key));
      input.addEventListener("input", () => set(typeof figure.initial[control.key] === "number" ? Number(input.value) : input.value));
      wrap.append(text, input);
    } else if (control.type === "checkbox") {
      input.type = "checkbox";
      input.addEventListener("input", () => set(input.checked));
      wrap.append(input, text);
    } else {
      input.type = "button";
      input.textContent = control.label;
      input.addEventListener("click", () => set((state[control.key] ?? 0) + 1));
      wrap.append(input);
    }
    panel.append(wrap);
    const show = () => {
      if (control.type === "range") {
        input.min = control.min ?? 0;
        input.max = typeof control.max === "function" ? control.max(state) : control.max;
        input.value = state[control.key];
        value.textContent = control.format ? control.format(state[control.key]) : state[control.key];
        input.setAttribute("aria-valuetext", value.textContent);
      } else if (control.type === "select") input.value = state[control.key];
      else if (control.type === "checkbox") input.checked = state[control.key];
    };
    return { show };
  }

  const reset = document.createElement("button");
  reset.type = "button";
  reset.textContent = "Reset";
  reset.addEventListener("click", () => {
    state = structuredClone(figure.initial);
    update();
  });
  panel.append(reset);

  function update() {
    const width = Math.max(300, Math.min(720, Math.round(body.clientWidth)));
    for (const input of inputs) input.show();
    drawing.innerHTML = figure.draw(state, width);
    const svg = drawing.firstElementChild;
    svg.setAttribute("aria-label", `${alt} Now: ${figure.describe(state)}`);
    words.textContent = figure.describe(state);
  }

  body.replaceChildren(panel, drawing, words);
  let last = 0;
  new ResizeObserver(() => {
    if (Math.abs(body.clientWidth - last) > 4) {
      last = body.clientWidth;
      update();
    }
  }).observe(body);
  last = body.clientWidth;
  update();
}

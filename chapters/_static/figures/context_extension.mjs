// Figure: the wavelength of every pair, before and after a method of context extension.
import { blue, circle, faint, frequencies, grid, ink, label, line, logScale, node, picture, range, scale, thousands, vermillion } from "./kit.mjs";

export const d = 128;
export const base = 10000;

/** New frequencies of all pairs. method: none, pi, ntk, yarn (as its released code) or llama3. */
export function inverseFrequencies(method, factor, trainLength) {
  const theta = frequencies(d, base);
  if (factor <= 1 || method === "none") return theta;
  if (method === "pi") return theta.map((value) => value / factor);
  if (method === "ntk") return frequencies(d, base * factor ** (d / (d - 2)));
  if (method === "yarn") {
    const pairAt = (turns) => (d * Math.log(trainLength / (turns * 2 * Math.PI))) / (2 * Math.log(base));
    const low = Math.max(Math.floor(pairAt(32)), 0);
    const high = Math.min(Math.ceil(pairAt(1)), d - 1);
    return theta.map((value, i) => {
      const keep = 1 - Math.min(1, Math.max(0, (i - low) / Math.max(high - low, 0.001)));
      return (1 - keep) * (value / factor) + keep * value;
    });
  }
  if (method === "llama3") {
    return theta.map((value) => {
      const turns = (trainLength * value) / (2 * Math.PI);
      const smooth = Math.min(1, Math.max(0, (turns - 1) / (4 - 1)));
      return (1 - smooth) * (value / factor) + smooth * value;
    });
  }
  throw new Error(`no method ${method}`);
}

/** Pairs that never made a full turn in training and meet new angles at the longer length. */
export function outside(method, factor, trainLength) {
  const before = frequencies(d, base);
  return inverseFrequencies(method, factor, trainLength).map((theta, i) =>
    (2 * Math.PI) / before[i] > trainLength && factor * trainLength * theta > trainLength * before[i] * (1 + 1e-9));
}

const names = { none: "No change", pi: "Position interpolation", ntk: "NTK-aware base", yarn: "YaRN", llama3: "Llama 3" };

export const name = "wavelengths";
export const initial = { method: "none", power: 3, length: 4096 };
export const controls = [
  { key: "method", type: "select", label: "Method", options: Object.entries(names) },
  { key: "power", type: "range", label: "Scale s", min: 0, max: 5, format: (power) => `${2 ** power}×` },
  { key: "length", type: "select", label: "Train length L", options: [[2048, "2048"], [4096, "4096"], [8192, "8192"]] },
];

export function describe({ method, power, length }) {
  const factor = 2 ** power;
  const many = outside(method, factor, length).filter(Boolean).length;
  const slowed = inverseFrequencies(method, factor, length).filter((theta, i) => theta < frequencies(d, base)[i] * (1 - 1e-9)).length;
  return `${names[method]}, from ${thousands(length)} to ${thousands(factor * length)} tokens: ${slowed} of ${d / 2} pairs are slowed down, and ${many} meet angles that training never showed.`;
}

export function draw(state, width = 480) {
  const { method, power, length } = state;
  const factor = 2 ** power;
  const before = frequencies(d, base).map((theta) => (2 * Math.PI) / theta / length);
  const after = inverseFrequencies(method, factor, length).map((theta) => (2 * Math.PI) / theta / length);
  const out = outside(method, factor, length);
  const [left, right, top, bottom] = [56, width - 12, 34, 262];
  const x = scale(0, 63, left + 6, right - 6);
  const y = logScale(5e-4, 2e3, bottom, top);
  const parts = [label(8, 18, "Wavelength ÷ train length L (log)", { "font-size": 12, fill: faint })];
  for (const tick of [0.001, 0.01, 0.1, 1, 10, 100, 1000]) {
    parts.push(line(left, y(tick), right, y(tick), tick === 1 ? ink : grid, tick === 1 ? 1.5 : 1), label(left - 6, y(tick) + 4, tick, { "text-anchor": "end", "font-size": 12 }));
  }
  if (factor > 1) parts.push(line(left, y(factor), right, y(factor), ink, 1.2, { "stroke-dasharray": "6 4" }), label(left + 6, y(factor) - 6, `s·L = ${thousands(factor * length)}`, { "font-size": 12 }));
  parts.push(label(left + 6, y(1) + 15, `L = ${thousands(length)}`, { "font-size": 12 }));
  range(64).forEach((i) => {
    parts.push(circle(x(i), y(before[i]), 2.2, "none", { stroke: faint, "stroke-width": 1 }));
    parts.push(out[i]
      ? node("path", { d: `M${(x(i) - 4).toFixed(1)} ${(y(after[i]) + 3.4).toFixed(1)}h8l-4 -7.400z`, fill: vermillion })
      : circle(x(i), y(after[i]), 3, blue));
  });
  for (const tick of [0, 16, 32, 48, 63]) parts.push(label(x(tick), bottom + 18, tick, { "text-anchor": "middle", "font-size": 12 }));
  parts.push(label((left + right) / 2, bottom + 35, "pair i (d = 128, base 10 000)", { "text-anchor": "middle", "font-size": 12 }));
  const legend = bottom + 56;
  parts.push(circle(16, legend - 4, 3.5, blue), label(26, legend, "wavelength"), node("path", { d: `M108 ${legend - 0.5}h9l-4.500 -8z`, fill: vermillion }), label(122, legend, "meets new angles"), circle(248, legend - 4, 2.5, "none", { stroke: faint }), label(258, legend, "before"));
  return picture(width, legend + 12, describe(state), ...parts);
}

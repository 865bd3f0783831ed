// Figure: a query and a key turned by their positions; their score depends on the offset alone.
import { blue, circle, faint, fixed, frequencies, grid, ink, label, line, node, paper, picture, range, scale, vermillion } from "./kit.mjs";

export const query = [1.2, 0.4, -0.5, 1.0, 0.8, -0.6, 0.3, 0.9];
export const key = [0.9, -0.3, 0.7, 0.8, -0.4, 1.1, 0.6, 0.5];
export const base = 10000;

/** The two dimensions of pair i: neighbours (interleaved), or half the width apart (half-split). */
export const pairOf = (i, d, layout) => (layout === "half" ? [i, i + d / 2] : [2 * i, 2 * i + 1]);

/** x turned by its position: pair i by the angle position · θ_i. */
export function rotate(x, position, layout = "interleaved") {
  const turned = [...x];
  frequencies(x.length, base).forEach((theta, i) => {
    const [a, b] = pairOf(i, x.length, layout);
    const [sin, cos] = [Math.sin(position * theta), Math.cos(position * theta)];
    turned[a] = x[a] * cos - x[b] * sin;
    turned[b] = x[a] * sin + x[b] * cos;
  });
  return turned;
}

/** The dot product of the query at position m and the key at position n. */
export function score(m, n, layout = "interleaved") {
  const [q, k] = [rotate(query, m, layout), rotate(key, n, layout)];
  return q.reduce((sum, value, at) => sum + value * k[at], 0);
}

export const name = "rotary score";
export const initial = { m: 12, n: 7, together: false, layout: "interleaved" };
export const controls = [
  { key: "m", type: "range", label: "Query position m", min: 0, max: 100 },
  { key: "n", type: "range", label: "Key position n", min: 0, max: 100 },
  { key: "together", type: "checkbox", label: "Move both together" },
  { key: "layout", type: "select", label: "Layout", options: [["interleaved", "interleaved: (0,1), (2,3), …"], ["half", "half-split: (0,4), (1,5), …"]] },
];

/** With "together", the other position follows, as far as both stay between 0 and 100. */
export function change(state, changed, before) {
  if (!state.together || !["m", "n"].includes(changed)) return state;
  const other = changed === "m" ? "n" : "m";
  const shift = Math.max(-before[other], Math.min(100 - before[other], state[changed] - before[changed]));
  return { ...state, [changed]: before[changed] + shift, [other]: before[other] + shift };
}

export function describe({ m, n, layout }) {
  return `Query at ${m}, key at ${n}, offset ${fixed(m - n, 0)}: score ${fixed(score(m, n, layout), 4)}.`;
}

export function draw(state, width = 480) {
  const { m, n, layout } = state;
  const d = query.length;
  const [q, k] = [rotate(query, m, layout), rotate(key, n, layout)];
  const cell = width / (d / 2);
  const radius = Math.min(46, cell / 2 - 7);
  const middle = 30 + radius;
  const parts = [label(8, 16, "Each pair turns by position · θ", { "font-size": 12, fill: faint })];
  for (const i of range(d / 2)) {
    const [a, b] = pairOf(i, d, layout);
    const cx = cell * (i + 0.5);
    const unit = radius / 1.5;
    parts.push(circle(cx, middle, radius, "none", { stroke: grid, "stroke-width": 1.5 }));
    for (const [x, color, dash] of [[q, blue, ""], [k, vermillion, "5 3"]]) {
      parts.push(line(cx, middle, cx + unit * x[a], middle - unit * x[b], color, 3, { "stroke-linecap": "round", ...(dash ? { "stroke-dasharray": dash } : {}) }));
      parts.push(circle(cx + unit * x[a], middle - unit * x[b], 3.5, color));
    }
    parts.push(label(cx, middle + radius + 18, `(${a}, ${b})`, { "text-anchor": "middle", "font-size": 12 }));
  }
  const legend = middle + radius + 40;
  parts.push(line(10, legend - 4, 34, legend - 4, blue, 3), label(40, legend, `query at ${m}`), line(150, legend - 4, 174, legend - 4, vermillion, 3, { "stroke-dasharray": "5 3" }), label(180, legend, `key at ${n}`));
  const [top, bottom, left, right] = [legend + 34, legend + 150, 34, width - 14];
  const x = scale(-100, 100, left, right);
  const curve = range(201).map((at) => at - 100).map((offset) => [offset, score(Math.max(0, offset), Math.max(0, -offset), layout)]);
  const y = scale(-5, 5, bottom, top);
  parts.push(label(8, legend + 22, "Score against the offset m − n", { "font-size": 12, fill: faint }));
  for (const tick of [-4, 0, 4]) parts.push(line(left, y(tick), right, y(tick), grid), label(left - 6, y(tick) + 4, fixed(tick, 0), { "text-anchor": "end", "font-size": 12 }));
  for (const tick of [-100, -50, 0, 50, 100]) parts.push(label(x(tick), bottom + 18, fixed(tick, 0), { "text-anchor": "middle", "font-size": 12 }));
  parts.push(node("polyline", { points: curve.map(([offset, value]) => `${x(offset).toFixed(1)},${y(value).toFixed(1)}`).join(" "), fill: "none", stroke: ink, "stroke-width": 1.5 }));
  const now = score(m, n, layout);
  parts.push(line(x(m - n), top, x(m - n), bottom, faint, 1, { "stroke-dasharray": "3 3" }), circle(x(m - n), y(now), 5.5, blue));
  parts.push(label(x(m - n) + (m - n > 40 ? -9 : 9), y(now) - 9, `score ${fixed(now, 4)}`, { "font-weight": 600, stroke: paper, "stroke-width": 4, "paint-order": "stroke", "text-anchor": m - n > 40 ? "end" : "start" }));
  return picture(width, bottom + 26, describe(state), ...parts);
}

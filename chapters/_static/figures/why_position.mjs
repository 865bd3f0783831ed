// Figure: attention without positions. Shuffle the words: the rows of the weights shuffle with them.
import { blue, faint, fixed, ink, label, node, picture, range, rect, vermillion } from "./kit.mjs";

export const sentence = ["the", "cat", "sat", "on", "the", "mat"];
const ids = { the: 0, cat: 1, sat: 2, on: 3, mat: 4 };

/** The embedding of a word: cos((id + 1) · (1, 2, 3, 4)). Any other would do as well. */
export const embedding = (word) => [1, 2, 3, 4].map((k) => Math.cos((ids[word] + 1) * k));

/** Attention weights of one head whose queries are twice the embeddings, and keys and values the embeddings. */
export function attention(words, causal) {
  const x = words.map(embedding);
  return x.map((q, i) => {
    const scores = x.map((k, j) => (causal && j > i ? -Infinity : (2 * q.reduce((sum, value, at) => sum + value * k[at], 0)) / Math.sqrt(4)));
    const most = Math.max(...scores);
    const raw = scores.map((score) => Math.exp(score - most));
    const sum = raw.reduce((total, value) => total + value, 0);
    return raw.map((value) => value / sum);
  });
}

/** The head's outputs, one row a word. */
export function output(words, causal) {
  const x = words.map(embedding);
  return attention(words, causal).map((w) => x[0].map((_, at) => w.reduce((sum, value, j) => sum + value * x[j][at], 0)));
}

/** The largest change of any word's output between the original order and `order`. */
export function largestChange(order, causal) {
  const before = output(sentence, causal);
  const after = output(order.map((at) => sentence[at]), causal);
  return Math.max(...order.flatMap((from, to) => after[to].map((value, at) => Math.abs(value - before[from][at]))));
}

/** The order after `times` shuffles: the same for every reader. */
export function shuffled(times) {
  const order = range(sentence.length);
  let seed = 7;
  for (let time = 0; time < times; time += 1) {
    for (let i = order.length - 1; i > 0; i -= 1) {
      seed = (seed * 16807) % 2147483647;
      const j = seed % (i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
  }
  return order;
}

export const name = "shuffled attention";
export const initial = { times: 1, causal: false };
export const controls = [
  { key: "times", type: "button", label: "Shuffle the words" },
  { key: "causal", type: "checkbox", label: "Causal mask" },
];

export function describe({ times, causal }) {
  const order = shuffled(times);
  const text = order.map((at) => sentence[at]).join(" ");
  return `“${text}”, ${causal ? "with" : "without"} a causal mask: the largest change of any word's output is ${fixed(largestChange(order, causal), 4)}.`;
}

function matrix(words, order, causal, x, y, size, title) {
  const w = attention(words, causal);
  const parts = [label(x + size * 3, y - 30, title, { "text-anchor": "middle", "font-size": 12, fill: faint })];
  words.forEach((word, i) => {
    const color = order[i] === 1 ? blue : order[i] === 5 ? vermillion : ink;
    const strong = order[i] === 1 || order[i] === 5 ? { "font-weight": 700 } : {};
    parts.push(label(x - 5, y + size * (i + 0.5) + 4, word, { "text-anchor": "end", "font-size": 12, fill: color, ...strong }));
    parts.push(label(x + size * (i + 0.5), y - 7, word, { "text-anchor": "middle", "font-size": size < 24 ? 10 : 12, fill: color, ...strong }));
    words.forEach((_, j) => {
      const masked = causal && j > i;
      parts.push(rect(x + size * j + 0.5, y + size * i + 0.5, size - 1, size - 1, masked ? "none" : blue, masked ? { stroke: "var(--fig-grid, #d9d9d6)" } : { "fill-opacity": Number((0.06 + 0.94 * w[i][j]).toFixed(3)) }));
      if (order[i] === 1 || order[i] === 5) parts.push(rect(x + 0.5, y + size * i + 0.5, size * 6 - 1, size - 1, "none", { stroke: color, "stroke-width": 1.5 }));
    });
  });
  return parts;
}

export function draw(state, width = 480) {
  const order = shuffled(state.times);
  const beside = width >= 440;
  const size = beside ? Math.min(34, (width / 2 - 48) / 6) : 34;
  const left = 36;
  const parts = matrix(sentence, range(6), state.causal, left, 54, size, "original order");
  const words = order.map((at) => sentence[at]);
  const [x2, y2] = beside ? [width / 2 + left, 54] : [left, 54 + size * 6 + 62];
  parts.push(...matrix(words, order, state.causal, x2, y2, size, "shuffled"));
  const bottom = y2 + size * 6;
  parts.push(label(left, bottom + 24, `Largest output change: ${fixed(largestChange(order, state.causal), 4)}`, { "font-weight": 600 }));
  return picture(width, Math.round(bottom + 38), describe(state), ...parts);
}

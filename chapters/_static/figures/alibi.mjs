// Figure: ALiBi's attention over the past when all keys fit equally well.
import { blue, faint, fixed, grid, green, ink, label, line, logScale, orange, picture, range, rect, scale, thousands } from "./kit.mjs";

/** The slopes of the released code: powers of two, and for other numbers of heads every other slope of twice as many. */
export function slopes(heads) {
  const power = 2 ** Math.floor(Math.log2(heads));
  const regular = range(power).map((h) => 2 ** ((-8 * (h + 1)) / power));
  if (power === heads) return regular;
  return [...regular, ...slopes(2 * power).filter((_, at) => at % 2 === 0).slice(0, heads - power)];
}

/** softmax over the keys 0 … query of −slope · (query − key): the weights when all scores are equal. */
export function weights(query, slope) {
  const raw = range(query + 1).map((key) => Math.exp(-slope * (query - key)));
  const sum = raw.reduce((total, value) => total + value, 0);
  return raw.map((value) => value / sum);
}

/** The smallest number of newest keys that hold at least `mass` of the weight, with an endless past. */
export const windowOf = (slope, mass = 0.99) => Math.ceil(-Math.log1p(-mass) / slope - 1e-12);

export const name = "ALiBi weights";
export const initial = { heads: 8, head: 3, query: 48 };
export const controls = [
  { key: "heads", type: "select", label: "Heads", options: [[4, "4"], [6, "6"], [8, "8"], [12, "12"], [16, "16"]] },
  { key: "head", type: "range", label: "Head", min: 1, max: ({ heads }) => heads },
  { key: "query", type: "range", label: "Query position i", min: 0, max: 127 },
];

export const change = (state) => ({ ...state, head: Math.min(state.head, state.heads) });

const slopeText = (slope) => (Number.isInteger(Math.round(1e9 / slope) / 1e9) && slope < 1 ? `1/${Math.round(1 / slope)}` : fixed(slope, 4));

export function describe({ heads, head, query }) {
  const slope = slopes(heads)[head - 1];
  return `Head ${head} of ${heads} has slope ${slopeText(slope)}. With an endless past, its newest ${thousands(windowOf(slope))} keys hold 99 % of the weight, the newest ${thousands(windowOf(slope, 0.5))} half of it.`;
}

export function draw(state, width = 480) {
  const { heads, head, query } = state;
  const all = slopes(heads);
  const slope = all[head - 1];
  const w = weights(query, slope);
  const [left, right, top, bottom] = [44, width - 10, 34, 150];
  const x = scale(0, 128, left, right);
  const most = Math.max(...w);
  const ceiling = [0.02, 0.05, 0.1, 0.2, 0.5, 1].find((value) => value >= most) ?? 1;
  const y = scale(0, ceiling, bottom, top);
  const window = windowOf(slope);
  const parts = [
    label(8, 18, "Weight of each key, all scores equal", { "font-size": 12, fill: faint }),
    ...[0, ceiling / 2, ceiling].flatMap((tick) => [line(left, y(tick), right, y(tick), grid), label(left - 6, y(tick) + 4, Number(tick.toFixed(3)), { "text-anchor": "end", "font-size": 12 })]),
    rect(x(Math.max(0, query + 1 - window)), top, x(query + 1) - x(Math.max(0, query + 1 - window)), bottom - top, orange, { "fill-opacity": 0.16 }),
    ...w.map((value, key) => rect(x(key), y(value), Math.max(1, x(1) - x(0) - 0.5), y(0) - y(value), blue)),
    line(left, y(0), right, y(0), ink),
    ...[0, 32, 64, 96, 127].map((tick) => label(x(tick + 0.5), bottom + 17, tick, { "text-anchor": "middle", "font-size": 12 })),
    label((left + right) / 2, bottom + 34, "key position j", { "text-anchor": "middle", "font-size": 12 }),
    rect(left, bottom + 44, 12, 12, orange, { "fill-opacity": 0.5 }), label(left + 18, bottom + 55, `newest ${thousands(window)} keys: 99 % of the weight`),
  ];
  const start = bottom + 86;
  const high = Math.min(17, 190 / heads);
  const long = logScale(1, 4000, left, right - 46);
  parts.push(label(8, start - 8, "99 % window of each head, in keys (log)", { "font-size": 12, fill: faint }));
  all.forEach((value, h) => {
    const here = start + h * high;
    const size = windowOf(value);
    parts.push(rect(left, here + 2, long(size) - left, high - 3, h === head - 1 ? green : grid));
    if (heads <= 12 || h % 2 === 0 || h === head - 1) parts.push(label(left - 6, here + high - 3, h + 1, { "text-anchor": "end", "font-size": 12, ...(h === head - 1 ? { "font-weight": 700 } : {}) }));
    if (heads <= 12 || h % 2 === 0) parts.push(label(long(size) + 5, here + high - 3, thousands(size), { "font-size": 12, ...(h === head - 1 ? { "font-weight": 700 } : {}) }));
  });
  return picture(width, Math.round(start + heads * high + 10), describe(state), ...parts);
}

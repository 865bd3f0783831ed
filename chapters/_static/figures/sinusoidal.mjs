// Figure: one row of the sinusoidal table, as clock hands and as bars.
import { blue, circle, faint, fixed, frequencies, grid, ink, label, line, node, picture, range, rect, scale, thousands, vermillion } from "./kit.mjs";

export { frequencies };

/** Row `position` of the table: sin and cos of position · θ_i, interleaved. */
export const row = (position, d, base) => frequencies(d, base).flatMap((theta) => [Math.sin(position * theta), Math.cos(position * theta)]);

/** How far each pair's hand moves from one position to the next: |PE(p + 1) − PE(p)| of that pair, whatever p. */
export const steps = (d, base) => frequencies(d, base).map((theta) => 2 * Math.abs(Math.sin(theta / 2)));

/** Which pairs move by at least `least` per position, so that neighbours differ visibly. */
export const tellsApart = (d, base, least = 0.1) => steps(d, base).map((step) => step >= least);

export const name = "sinusoidal row";
export const initial = { position: 12, d: 16, base: 4 };
export const controls = [
  { key: "position", type: "range", label: "Position p", min: 0, max: 200 },
  { key: "d", type: "range", label: "Dimensions d", min: 4, max: 24, step: 2 },
  { key: "base", type: "range", label: "Base", min: 1, max: 6, step: 0.5, format: (power) => thousands(10 ** power) },
];

export function describe({ position, d, base }) {
  const apart = tellsApart(d, 10 ** base);
  const many = apart.filter(Boolean).length;
  return `At position ${position}, ${many} of ${apart.length} pairs move by 0.1 or more to the next position and tell neighbours apart; the others hardly move.`;
}

export function draw(state, width = 480) {
  const { position, d, base } = state;
  const pairs = d / 2;
  const values = row(position, d, 10 ** base);
  const apart = tellsApart(d, 10 ** base);
  const left = 34;
  const cell = (width - left - 8) / pairs;
  const radius = Math.min(24, cell / 2 - 2);
  const clockY = 52;
  const top = 112;
  const bottom = 232;
  const y = scale(-1, 1, bottom, top);
  const parts = [
    label(8, 16, "Hand of each pair (filled: tells neighbours apart)", { "font-size": 12, fill: faint }),
    line(left, y(0), width - 8, y(0), ink),
    ...[-1, 1].flatMap((tick) => [line(left, y(tick), width - 8, y(tick), grid), label(left - 6, y(tick) + 4, fixed(tick, 0), { "text-anchor": "end", "font-size": 12 })]),
    label(left - 6, y(0) + 4, "0", { "text-anchor": "end", "font-size": 12 }),
  ];
  for (const i of range(pairs)) {
    const cx = left + cell * (i + 0.5);
    const [sin, cos] = [values[2 * i], values[2 * i + 1]];
    parts.push(circle(cx, clockY, radius, apart[i] ? blue : "none", { "fill-opacity": 0.18, stroke: apart[i] ? blue : faint, "stroke-width": 1.5, ...(apart[i] ? {} : { "stroke-dasharray": "3 3" }) }));
    parts.push(line(cx, clockY, cx + radius * cos, clockY - radius * sin, ink, 2.5, { "stroke-linecap": "round" }));
    const bar = Math.min(16, cell * 0.36);
    for (const [value, color, offset] of [[sin, blue, -1], [cos, vermillion, 0]]) {
      parts.push(rect(cx + offset * (bar + 1) + (offset ? 0 : 1), Math.min(y(0), y(value)), bar, Math.abs(y(value) - y(0)), color));
    }
    if (pairs <= 8 || i % 2 === 0) parts.push(label(cx, 94, i, { "text-anchor": "middle", "font-size": 12 }));
  }
  parts.push(label(8, 94, "pair", { "font-size": 12 }));
  parts.push(rect(left, 246, 12, 12, blue), label(left + 17, 257, "sin (even)"), rect(left + 110, 246, 12, 12, vermillion), label(left + 127, 257, "cos (odd)"));
  return picture(width, 268, describe(state), ...parts);
}

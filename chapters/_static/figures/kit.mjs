// What the interactive figures share: small builders of SVG text, and scales. Drawing is a pure function of the
// state, so the same code makes the live figure and its static picture (NAME.svg).

/** Colours: Okabe and Ito's, as variables so that the dark theme can lighten them (figures.css). */
export const ink = "var(--fig-ink, #222222)";
export const faint = "var(--fig-faint, #6b6b6b)";
export const grid = "var(--fig-grid, #d9d9d6)";
export const paper = "var(--fig-paper, #FBFBFA)";
export const blue = "var(--fig-blue, #0072B2)";
export const vermillion = "var(--fig-vermillion, #C24E00)";
export const green = "var(--fig-green, #00805C)";
export const orange = "var(--fig-orange, #E69F00)";

const attributes = (given) => Object.entries(given).map(([key, value]) => ` ${key}="${typeof value === "number" ? Number(value.toFixed(2)) : value}"`).join("");

export const node = (name, given, ...children) => `<${name}${attributes(given)}>${children.flat().join("")}</${name}>`;
export const line = (x1, y1, x2, y2, stroke = ink, width = 1, more = {}) => node("line", { x1, y1, x2, y2, stroke, "stroke-width": width, ...more });
export const rect = (x, y, width, height, fill, more = {}) => node("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), fill, ...more });
export const circle = (cx, cy, r, fill, more = {}) => node("circle", { cx, cy, r, fill, ...more });
const escape = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;");
export const label = (x, y, text, more = {}) => node("text", { x, y, fill: ink, "font-size": 13, ...more }, escape(text));

/** The whole drawing; title and description are what a screen reader says. */
export function picture(width, height, description, ...children) {
  const inside = [rect(0, 0, width, height, paper), ...children].flat().join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(description).replace(/"/g, "&quot;")}" font-family="system-ui, sans-serif">\n${inside}\n</svg>\n`;
}

/** A linear or logarithmic scale from [low, high] to [from, to]. */
export const scale = (low, high, from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);
export const logScale = (low, high, from, to) => {
  const linear = scale(Math.log(low), Math.log(high), from, to);
  return (value) => linear(Math.log(value));
};

/** θ_i = base^(−2i/d) for i = 0 … d/2 − 1. */
export const frequencies = (d, base) => Array.from({ length: d / 2 }, (_, i) => base ** ((-2 * i) / d));

export const range = (n) => Array.from({ length: n }, (_, i) => i);
export const fixed = (value, digits = 2) => value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1").replace("-", "−");
export const thousands = (value) => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");

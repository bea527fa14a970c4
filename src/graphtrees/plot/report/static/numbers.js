// Numbers as people read them.
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const many = (n) => n.toLocaleString("en");

function round(value, digits = 4) {
  return value === null ? "missing" : String(Number(value.toPrecision(digits)));
}

function signed(value, plus = "+") {
  if (value === null) return "missing";
  return `${value > 0 ? plus : value < 0 ? "−" : ""}${round(Math.abs(value))}`;
}

// A long text without its middle: names and ids differ at their ends.
function shorten(text, most) {
  if (text.length <= most) return text;
  const front = Math.floor((most - 1) / 2);
  return `${text.slice(0, front)}…${text.slice(text.length - (most - 1 - front))}`;
}

// Three to six even values that cover a range.
function ticks([low, high]) {
  const rough = (high - low || Math.abs(high) || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  const found = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) {
    found.push(Number(v.toPrecision(12)));
  }
  return found;
}

// The range of some values, with a little room around it.
function padded(values, share = 0.05) {
  const known = values.filter((v) => v !== null);
  if (!known.length) return [0, 1];
  const low = known.reduce((a, b) => Math.min(a, b));
  const high = known.reduce((a, b) => Math.max(a, b));
  const pad = (high - low) * share || Math.abs(high) * share || 1;
  return [low - pad, high + pad];
}

// What stands at the vertices of S, as bars of how many, and the cut that makes S+ and S- of them.
const STRIP = { height: 78, base: 58, bin: 16, tall: 34 };

function drawStrip(svg, step, drawing) {
  const width = svg.clientWidth || 400;
  const inside = step.z.map((_, k) => k).filter((k) => step.c[k] !== "0" && step.z[k] !== null);
  const values = inside.map((k) => step.z[k]);
  const [low, high] = padded([...values, step.t], 0.04);
  const x = (v) => 16 + ((v - low) / (high - low || 1)) * (width - 32);
  const asked = new Set(drawing.edge === undefined ? drawing.asked : [drawing.edge]);
  const bars = stripBars(inside, step, x, asked);
  const most = bars.reduce((largest, bar) => Math.max(largest, bar.n), 1);
  svg.setAttribute("viewBox", `0 0 ${width} ${STRIP.height}`);
  svg.replaceChildren(
    draw("line", { class: "axis", x1: 4, x2: width - 4, y1: STRIP.base, y2: STRIP.base }),
    ...bars.flatMap((bar) => stripBar(bar, most)),
    ...stripLabels(values, step.t, x, width),
    draw("line", { class: "cut", x1: x(step.t), x2: x(step.t), y1: 2, y2: STRIP.base + 4 }),
  );
}

function stripBars(inside, step, x, asked) {
  const bars = new Map();
  for (const k of inside) {
    const key = `${step.c[k]} ${Math.round(x(step.z[k]) / STRIP.bin)}`;
    const bar = bars.get(key) || { plus: step.c[k] === "1", n: 0, sum: 0, asked: false };
    bar.n += 1;
    bar.sum += x(step.z[k]);
    bar.asked ||= asked.has(k);
    bars.set(key, bar);
  }
  return [...bars.values()];
}

function stripBar(bar, most) {
  const height = 4 + (STRIP.tall * bar.n) / most;
  const middle = bar.sum / bar.n;
  const y = STRIP.base - height;
  const box = { x: middle - 4, y, width: 8, height, rx: 2 };
  const text = { class: bar.asked ? "asked" : "", x: middle, y: y - 4, "text-anchor": "middle" };
  return [
    draw("rect", { class: bar.plus ? "in-plus" : "in-minus", ...box }),
    draw("text", text, bar.asked ? `${bar.n} ◉` : bar.n),
  ];
}

// The least and the largest value, where the threshold leaves room for them.
function stripLabels(values, t, x, width) {
  const anchor = (v) => (x(v) < 34 ? "start" : x(v) > width - 34 ? "end" : "middle");
  const label = (v, text, kind) =>
    draw("text", { class: kind, x: x(v), y: STRIP.base + 16, "text-anchor": anchor(v) }, text);
  const ends = values.length ? new Set([Math.min(...values), Math.max(...values)]) : [];
  const free = [...ends].filter((v) => Math.abs(x(v) - x(t)) > 84);
  return [...free.map((v) => label(v, round(v), "")), label(t, `t = ${round(t)}`, "limit")];
}

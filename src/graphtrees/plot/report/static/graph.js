// The drawing of one graph: made once, then painted for each step.
const FEW_LABELS = 12;
const LONGEST_LABEL = 14;

// Where everything lies, in the pixels of the figure.
function fitGraph(drawing, width, height) {
  const n = drawing.v.length;
  const xs = drawing.xy.filter((_, k) => k % 2 === 0);
  const ys = drawing.xy.filter((_, k) => k % 2 === 1);
  const w = Math.max(0, ...xs);
  const h = Math.max(0, ...ys);
  const loops = drawing.ei.some((_, e) => drawing.e[2 * e] === drawing.e[2 * e + 1]); // they stand out on top
  const scale = Math.min((width - 56) / (w || 1), (height - (loops ? 84 : 56)) / (h || 1), 0.86);
  const left = (width - w * scale) / 2;
  const top = (height - h * scale) / 2 + (loops ? 10 : 0);
  const x = xs.map((v) => left + v * scale);
  const y = ys.map((v) => top + v * scale);
  const near = x.map((_, i) => {
    let least = Infinity;
    for (let j = 0; j < n; j++) if (j !== i) least = Math.min(least, Math.hypot(x[i] - x[j], y[i] - y[j]));
    return least;
  }).sort((a, b) => a - b);
  const step = n > 1 ? near[n >> 1] : 80;
  return { x, y, step, radius: clamp(0.38 * step, 3, 17) };
}

function edgePath(at, i, j, nth, directed) {
  const r = at.radius;
  if (i === j) {
    const a = r * (0.75 + 0.3 * nth);
    return `M${at.x[i] - a * 0.6} ${at.y[i] - r * 0.6}a${a} ${a} 0 1 1 ${a * 1.2} 0`;
  }
  const dx = at.x[j] - at.x[i];
  const dy = at.y[j] - at.y[i];
  const long = Math.hypot(dx, dy) || 1;
  const bend = (directed ? 0.1 * long : 0) + (nth % 2 ? 1 : -1) * Math.ceil(nth / 2) * 9;
  const mid = [at.x[i] + dx / 2 + (dy / long) * bend, at.y[i] + dy / 2 - (dx / long) * bend];
  const line = `M${at.x[i]} ${at.y[i]}Q${mid[0]} ${mid[1]} ${at.x[j]} ${at.y[j]}`;
  if (!directed) return line;
  const back = Math.hypot(at.x[j] - mid[0], at.y[j] - mid[1]) || 1;
  const u = [(at.x[j] - mid[0]) / back, (at.y[j] - mid[1]) / back];
  const tip = [at.x[j] - u[0] * (r + 2), at.y[j] - u[1] * (r + 2)];
  const head = clamp(r * 0.6, 3, 7);
  const wing = (side) => `${tip[0] - head * (u[0] + side * 0.6 * u[1])} ${tip[1] - head * (u[1] - side * 0.6 * u[0])}`;
  return `${line}M${wing(1)}L${tip[0]} ${tip[1]}L${wing(-1)}`;
}

function makeGraph(svg, drawing, tell) {
  const at = fitGraph(drawing, svg.clientWidth || 560, svg.clientHeight || 400);
  svg.setAttribute("viewBox", `0 0 ${svg.clientWidth || 560} ${svg.clientHeight || 400}`);
  svg.style.setProperty("--scale", clamp(at.step / 45, 0.3, 1));
  svg.setAttribute("aria-label", `Graph with ${drawing.size[0]} vertices and ${drawing.size[1]} edges`);
  const n = drawing.v.length;
  const ofEdges = drawing.edge !== undefined;
  const ends = (e) => [drawing.e[2 * e], drawing.e[2 * e + 1]];
  const asked = new Set(drawing.asked);

  const met = new Map(); // how many edges join a pair already
  const edges = drawing.ei.map((_, e) => {
    const [i, j] = ends(e);
    const pair = drawing.directed ? `${i} ${j}` : `${Math.min(i, j)} ${Math.max(i, j)}`;
    met.set(pair, (met.get(pair) ?? -1) + 1);
    return draw("path", { class: "edge", "data-e": e, d: edgePath(at, i, j, met.get(pair), drawing.directed) });
  });
  const strongLast = edges.map((_, e) => e).sort((a, b) => drawing.es[a] - drawing.es[b]);

  const first = drawing.v.map((_, k) => k).sort((a, b) => asked.has(b) - asked.has(a) || drawing.vs[b] - drawing.vs[a]);
  const short = drawing.l.map((text) => (text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text));
  const longest = short.reduce((most, text) => Math.max(most, text.length), 1);
  const roomy = at.step >= Math.max(20, longest * 5);
  const labelled = new Set(roomy ? first : first.slice(0, FEW_LABELS));
  const size = clamp(at.radius * 0.85, 9, 12);
  const vertices = drawing.v.map((_, k) => {
    const dot = draw("circle", { class: "dot", r: at.radius });
    const text = labelled.has(k) ? draw("text", {}, short[k]) : null;
    const ring = !ofEdges && asked.has(k) ? draw("circle", { class: "ring", r: at.radius + 5 }) : null;
    return { dot, text, ring, group: draw("g", { class: "vertex", "data-v": k, transform: `translate(${at.x[k].toFixed(1)} ${at.y[k].toFixed(1)})` }, ring, dot, text) };
  });
  svg.replaceChildren(...strongLast.map((e) => edges[e]), ...[...first].reverse().map((k) => vertices[k].group));

  const shared = (k, share, heat) => {
    const { dot, text, ring } = vertices[k];
    const low = 0.5 * at.radius;
    const r = Math.sqrt(low ** 2 + (at.radius ** 2 - low ** 2) * share);
    dot.setAttribute("class", heat ? `dot heat${share > 0.5 ? " upper" : ""}` : "dot");
    dot.style.setProperty("--s", share);
    dot.style.setProperty("r", `${r}px`);
    if (ring) ring.style.setProperty("r", `${r + 4}px`);
    if (!text) return;
    const fits = (1.7 * r) / (0.6 * Math.max(1.4, short[k].length)); // the font that fills the circle
    const inside = fits >= 8;
    text.setAttribute("class", inside ? "in" : "out");
    text.setAttribute("y", inside ? 0 : -(r + size * 0.62));
    text.style.setProperty("--size", `${inside ? Math.min(size, fits) : size}px`);
  };
  const NAMES = ["outside", "in-plus", "in-minus"];

  let view = null;
  function paint(next) {
    view = next;
    const step = view.step;
    const codes = step ? step.c : "";
    vertices.forEach(({ group }, k) => {
      const base = group.classList.contains("over") ? "vertex over" : "vertex";
      group.setAttribute("class", step && !ofEdges ? `${base} ${NAMES[codes[k]]}` : base);
      if (step) shared(k, ofEdges ? 0 : codes[k] === "0" ? 0.15 : 0.8, false);
      else shared(k, view.counts ? view.counts[k] / (view.of || 1) : drawing.vs[k] / 100, !ofEdges || !view.counts);
    });
    edges.forEach((edge, e) => {
      const walked = step && (step.w === "*" || step.w[e] === "1");
      const kind = !step ? (view.counts ? "still" : "") : ofEdges ? NAMES[codes[e]] : walked ? "walked" : "still";
      edge.setAttribute("class", `edge ${kind}${ofEdges && e === drawing.edge ? " asked" : ""}`);
      edge.style.setProperty("--s", drawing.es[e] / 100);
    });
  }

  const name = (k) => (drawing.l[k] === String(drawing.v[k]) ? drawing.l[k] : `${drawing.v[k]} (${drawing.l[k]})`);
  function placeIn(k) {
    const { step } = view;
    if (!step) return "";
    const z = `z = ${step.z[k] === null ? "missing" : round(step.z[k])}`;
    if (step.c[k] === "0") return ` · ${z} · not in S`;
    return step.c[k] === "1" ? ` · ${z} → S+` : ` · ${z} → S-`;
  }
  function words(kind, k) {
    if (kind === "e") {
      const [i, j] = ends(k);
      const arrow = drawing.directed ? "→" : "–";
      return `edge ${name(i)} ${arrow} ${name(j)}: importance ${percent(drawing.ei[k] / 10000)}${ofEdges ? placeIn(k) : ""}`;
    }
    return `vertex ${name(k)}: importance ${percent(drawing.vi[k] / 10000)}${ofEdges ? "" : placeIn(k)}${view.counts && !ofEdges ? ` · in ${view.counts[k]} of ${view.of} subsets` : ""}`;
  }
  const over = (event) => {
    for (const one of svg.querySelectorAll(".over")) one.classList.remove("over");
    const vertex = event.target.closest?.(".vertex");
    const edge = event.target.closest?.(".edge");
    if (vertex) vertex.classList.add("over");
    tell(vertex ? words("v", Number(vertex.dataset.v)) : edge ? words("e", Number(edge.dataset.e)) : "");
  };
  svg.onpointerover = over;
  svg.onclick = over;
  svg.onpointerleave = over;
  return { paint, words: () => (ofEdges ? edges.map((_, e) => words("e", e)) : vertices.map((_, k) => words("v", k))), n };
}

// What stands at the vertices of S, as bars of how many, and the cut that makes S+ and S- of them.
function drawStrip(svg, step, drawing) {
  const width = svg.clientWidth || 400;
  const base = 58;
  const inside = step.z.map((_, k) => k).filter((k) => step.c[k] !== "0" && step.z[k] !== null);
  const values = inside.map((k) => step.z[k]);
  const [low, high] = padded([...values, step.t], 0.04);
  const x = (v) => 16 + ((v - low) / (high - low || 1)) * (width - 32);
  const asked = new Set(drawing.edge === undefined ? drawing.asked : [drawing.edge]);
  const bars = new Map();
  for (const k of inside) {
    const key = `${step.c[k]} ${Math.round(x(step.z[k]) / 16)}`;
    const bar = bars.get(key) || { plus: step.c[k] === "1", n: 0, sum: 0, asked: false };
    bars.set(key, { ...bar, n: bar.n + 1, sum: bar.sum + x(step.z[k]), asked: bar.asked || asked.has(k) });
  }
  const most = Math.max(1, ...[...bars.values()].map((bar) => bar.n));
  svg.setAttribute("viewBox", `0 0 ${width} 78`);
  svg.replaceChildren(draw("line", { class: "axis", x1: 4, x2: width - 4, y1: base, y2: base }));
  for (const bar of bars.values()) {
    const tall = 4 + (34 * bar.n) / most;
    const middle = bar.sum / bar.n;
    svg.append(draw("rect", { class: bar.plus ? "in-plus" : "in-minus", x: middle - 4, y: base - tall, width: 8, height: tall, rx: 2 },
      draw("title", {}, `${bar.n} in ${bar.plus ? "S+" : "S-"}`)));
    svg.append(draw("text", { class: bar.asked ? "asked" : "", x: middle, y: base - tall - 4, "text-anchor": "middle" }, bar.asked ? `${bar.n} ◉` : bar.n));
  }
  const anchor = (v) => (x(v) < 34 ? "start" : x(v) > width - 34 ? "end" : "middle");
  const ends = values.length ? [...new Set([Math.min(...values), Math.max(...values)])] : [];
  for (const v of ends) {
    if (Math.abs(x(v) - x(step.t)) > 76) svg.append(draw("text", { x: x(v), y: base + 16, "text-anchor": anchor(v) }, round(v)));
  }
  svg.append(
    draw("line", { class: "cut", x1: x(step.t), x2: x(step.t), y1: 2, y2: base + 4 }),
    draw("text", { class: "limit", x: x(step.t), y: base + 16, "text-anchor": anchor(step.t) }, `t = ${round(step.t)}`),
  );
}

// Curves and residuals: small charts in the pixels of their place.
const ROOM = { left: 52, right: 14, top: 10, bottom: 34 };

function frame(svg, xRange, yRange, xName, yName) {
  const width = svg.clientWidth || 400;
  const height = svg.clientHeight || 260;
  const inside = { w: width - ROOM.left - ROOM.right, h: height - ROOM.top - ROOM.bottom };
  const x = (v) => ROOM.left + ((v - xRange[0]) / (xRange[1] - xRange[0] || 1)) * inside.w;
  const y = (v) => ROOM.top + inside.h - ((v - yRange[0]) / (yRange[1] - yRange[0] || 1)) * inside.h;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  for (const v of ticks(...yRange)) {
    svg.append(
      draw("line", { class: "axis", x1: ROOM.left, x2: width - ROOM.right, y1: y(v), y2: y(v) }),
      draw("text", { x: ROOM.left - 8, y: y(v) + 4, "text-anchor": "end" }, round(v)),
    );
  }
  const marks = ticks(...xRange).filter((v, _, all) => all.length <= Math.max(2, inside.w / 60) || v === all[0] || v === all.at(-1));
  for (const v of marks) svg.append(draw("text", { x: x(v), y: height - 18, "text-anchor": "middle" }, round(v)));
  svg.append(
    draw("text", { x: ROOM.left + inside.w / 2, y: height - 3, "text-anchor": "middle" }, xName),
    draw("text", { x: 0, y: 0, transform: `translate(11 ${ROOM.top + inside.h / 2}) rotate(-90)`, "text-anchor": "middle" }, yName),
  );
  return { x, y, width, height };
}

function padded(values, share = 0.05) {
  const known = values.filter((v) => v !== null);
  if (!known.length) return [0, 1];
  const low = known.reduce((a, b) => Math.min(a, b));
  const high = known.reduce((a, b) => Math.max(a, b));
  const pad = (high - low) * share || Math.abs(high) * share || 1;
  return [low - pad, high + pad];
}

function drawCurves(svg, curves) {
  const points = curves.lines.flatMap(([, line]) => line);
  const last = points.reduce((most, [k]) => Math.max(most, k), 1);
  const at = frame(svg, [1, Math.max(2, last)], padded(points.map((p) => p[1])), "round", curves.metric);
  if (curves.best !== null) {
    svg.append(draw("line", { class: "best", x1: at.x(curves.best), x2: at.x(curves.best), y1: ROOM.top, y2: at.height - ROOM.bottom }));
  }
  curves.lines.forEach(([name, line], k) => {
    const known = line.filter((p) => p[1] !== null);
    const path = known.map(([r, v], i) => `${i ? "L" : "M"}${at.x(r).toFixed(1)} ${at.y(v).toFixed(1)}`).join("");
    svg.append(draw("path", { class: `curve tone-${k % 5}`, d: known.length === 1 ? `${path}h0.1` : path }, draw("title", {}, name)));
  });
}

// One path holds all points, so that thousands are drawn at once; a click finds the nearest.
function drawResiduals(svg, data, choose) {
  const known = data.x.map((_, k) => k).filter((k) => data.x[k] !== null && data.y[k] !== null);
  const at = frame(svg, padded(data.x), padded([...data.y, 0]), "predicted", "true − predicted");
  svg.append(draw("line", { class: "zero", x1: ROOM.left, x2: at.width - ROOM.right, y1: at.y(0), y2: at.y(0) }));
  const path = known.map((k) => `M${at.x(data.x[k]).toFixed(1)} ${at.y(data.y[k]).toFixed(1)}h0.01`).join("");
  const ring = draw("circle", { class: "picked", r: 7, visibility: "hidden" });
  svg.append(draw("path", { class: "points", d: path }), ring);
  const mark = (k) => {
    ring.setAttribute("visibility", k < 0 ? "hidden" : "visible");
    if (k < 0) return;
    ring.setAttribute("cx", at.x(data.x[k]));
    ring.setAttribute("cy", at.y(data.y[k]));
  };
  svg.onclick = (event) => {
    const box = svg.getBoundingClientRect();
    const away = (k) => Math.hypot(at.x(data.x[k]) - (event.clientX - box.left), at.y(data.y[k]) - (event.clientY - box.top));
    const listed = known.filter((k) => data.at[k] >= 0);
    const nearest = listed.reduce((a, b) => (away(b) < away(a) ? b : a), listed[0]);
    if (nearest !== undefined && away(nearest) < 24) choose(data.at[nearest]);
  };
  return (example) => mark(data.at.indexOf(example));
}

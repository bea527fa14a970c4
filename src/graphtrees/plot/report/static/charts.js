// Curves and residuals: small charts in the pixels of their place.
const ROOM = { left: 52, right: 14, top: 10, bottom: 34 };

// Scales, with axes drawn.
function frame(svg, xRange, yRange, xName, yName) {
  const width = svg.clientWidth || 400;
  const height = svg.clientHeight || 260;
  const across = width - ROOM.left - ROOM.right;
  const down = height - ROOM.top - ROOM.bottom;
  const part = (v, [low, high]) => (v - low) / (high - low || 1);
  const x = (v) => ROOM.left + part(v, xRange) * across;
  const y = (v) => ROOM.top + (1 - part(v, yRange)) * down;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const middle = ROOM.top + down / 2;
  svg.replaceChildren(
    ...ticks(yRange).flatMap((v) => [
      draw("line", { class: "axis", x1: ROOM.left, x2: width - ROOM.right, y1: y(v), y2: y(v) }),
      draw("text", { x: ROOM.left - 8, y: y(v) + 4, "text-anchor": "end" }, round(v)),
    ]),
    ...xTicks(xRange, across).map((v) => centred(x(v), height - 18, round(v))),
    centred(ROOM.left + across / 2, height - 3, xName),
    centred(0, 0, yName, `translate(11 ${middle}) rotate(-90)`),
  );
  return { x, y, width, height };
}

const centred = (x, y, text, transform) =>
  draw("text", { x, y, transform, "text-anchor": "middle" }, text);

// All ticks where they have room, else the first and the last.
function xTicks(range, across) {
  const all = ticks(range);
  return all.length <= Math.max(2, across / 60) ? all : [all[0], all.at(-1)];
}

function drawCurves(svg, curves) {
  const points = curves.lines.flatMap(([, line]) => line);
  const last = points.reduce((most, [k]) => Math.max(most, k), 2);
  const at = frame(svg, [1, last], padded(points.map((p) => p[1])), "round", curves.metric);
  if (curves.best !== null) {
    const x = at.x(curves.best);
    svg.append(
      draw("line", { class: "best", x1: x, x2: x, y1: ROOM.top, y2: at.height - ROOM.bottom }),
    );
  }
  curves.lines.forEach(([name, line], k) => {
    const known = line.filter((p) => p[1] !== null);
    const steps = known.map(([r, v]) => `${at.x(r).toFixed(1)} ${at.y(v).toFixed(1)}`);
    const d = steps.length === 1 ? `M${steps[0]}h0.1` : steps.length ? `M${steps.join("L")}` : "";
    svg.append(draw("path", { class: `curve tone-${k % 5}`, d }, draw("title", {}, name)));
  });
}

// One path holds all points, so that thousands are drawn at once; a click finds the nearest.
// Gives a function that rings the point of an example.
function drawResiduals(svg, data, choose) {
  const all = data.x.map((_, k) => k);
  const known = all.filter((k) => data.x[k] !== null && data.y[k] !== null);
  const at = frame(svg, padded(data.x), padded([...data.y, 0]), "predicted", "true − predicted");
  const spot = (k) => [at.x(data.x[k]), at.y(data.y[k])];
  const d = known
    .map(
      (k) =>
        `M${spot(k)
          .map((v) => v.toFixed(1))
          .join(" ")}h0.01`,
    )
    .join("");
  const ring = draw("circle", { class: "picked", r: 7, visibility: "hidden" });
  const zero = {
    class: "zero",
    x1: ROOM.left,
    x2: at.width - ROOM.right,
    y1: at.y(0),
    y2: at.y(0),
  };
  svg.append(draw("line", zero), draw("path", { class: "points", d }), ring);
  svg.onclick = (event) => {
    const box = svg.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    const away = (k) => Math.hypot(spot(k)[0] - left, spot(k)[1] - top);
    const near = known.filter((k) => data.at[k] >= 0 && away(k) < 24);
    if (near.length) choose(data.at[near.reduce((a, b) => (away(b) < away(a) ? b : a))]);
  };
  return (example) => {
    const k = data.at.indexOf(example);
    ring.setAttribute("visibility", k < 0 ? "hidden" : "visible");
    if (k >= 0) fill(ring, { cx: spot(k)[0], cy: spot(k)[1] }, []);
  };
}

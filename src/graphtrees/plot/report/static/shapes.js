// Where the parts of a graph lie, in the pixels of its figure.
const MARGIN = 28;
const LOOP_ROOM = 28; // loops stand out on top

function fitGraph(drawing, width, height) {
  const xs = drawing.xy.filter((_, k) => k % 2 === 0);
  const ys = drawing.xy.filter((_, k) => k % 2 === 1);
  const loops = drawing.ei.some((_, e) => drawing.e[2 * e] === drawing.e[2 * e + 1]);
  const extra = loops ? LOOP_ROOM : 0;
  const w = Math.max(0, ...xs);
  const h = Math.max(0, ...ys);
  const room = [width - 2 * MARGIN, height - 2 * MARGIN - extra];
  const scale = Math.min(room[0] / (w || 1), room[1] / (h || 1), 0.86);
  const x = xs.map((v) => (width - w * scale) / 2 + v * scale);
  const y = ys.map((v) => (height - h * scale + 0.7 * extra) / 2 + v * scale);
  const step = stepOf(x, y);
  return { x, y, step, radius: clamp(0.38 * step, 3, 17) };
}

// How far apart vertices are: the median way to the nearest.
function stepOf(x, y) {
  if (x.length < 2) return 80;
  const nearest = x.map((_, i) => {
    let least = Infinity;
    for (let j = 0; j < x.length; j++) {
      if (j !== i) least = Math.min(least, Math.hypot(x[i] - x[j], y[i] - y[j]));
    }
    return least;
  });
  return nearest.sort((a, b) => a - b)[x.length >> 1];
}

// The line of an edge; the nth of several that join the same two is bent aside.
function edgePath(at, i, j, nth, directed, bond = 1) {
  const r = at.radius;
  if (i === j) {
    const a = r * (0.75 + 0.3 * nth);
    return `M${at.x[i] - a * 0.6} ${at.y[i] - r * 0.6}a${a} ${a} 0 1 1 ${a * 1.2} 0`;
  }
  const [dx, dy] = [at.x[j] - at.x[i], at.y[j] - at.y[i]];
  const long = Math.hypot(dx, dy) || 1;
  const aside = (nth % 2 ? 1 : -1) * Math.ceil(nth / 2) * 9;
  const bend = (directed ? 0.1 * long : 0) + aside;
  const mid = [at.x[i] + dx / 2 + (dy / long) * bend, at.y[i] + dy / 2 - (dx / long) * bend];
  if (bond > 1 && !nth) return bondPath(at, i, j, dx / long, dy / long, bond);
  const line = `M${at.x[i]} ${at.y[i]}Q${mid[0]} ${mid[1]} ${at.x[j]} ${at.y[j]}`;
  return directed ? line + arrowHead(mid, [at.x[j], at.y[j]], r) : line;
}

// The lines of a double or triple bond; the second one of an aromatic bond is shorter.
function bondPath(at, i, j, u, v, bond) {
  const gap = clamp(at.step * 0.07, 1.5, 4);
  const line = (aside, cut) => {
    const [x1, y1] = [at.x[i] - v * aside + u * cut, at.y[i] + u * aside + v * cut];
    const [x2, y2] = [at.x[j] - v * aside - u * cut, at.y[j] + u * aside - v * cut];
    return `M${x1} ${y1}L${x2} ${y2}`;
  };
  if (bond === 3) return line(0, 0) + line(2 * gap, 0) + line(-2 * gap, 0);
  if (bond === 2) return line(gap, 0) + line(-gap, 0);
  return line(gap, 0) + line(-gap, at.radius + at.step * 0.08);
}

function arrowHead(from, to, r) {
  const long = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const [u, v] = [(to[0] - from[0]) / long, (to[1] - from[1]) / long];
  const tip = [to[0] - u * (r + 2), to[1] - v * (r + 2)];
  const size = clamp(r * 0.6, 3, 7);
  const wing = (side) =>
    `${tip[0] - size * (u + side * 0.6 * v)} ${tip[1] - size * (v - side * 0.6 * u)}`;
  return `M${wing(1)}L${tip[0]} ${tip[1]}L${wing(-1)}`;
}

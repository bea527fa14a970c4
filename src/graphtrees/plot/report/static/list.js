// The list of examples: find, filter, sort, choose.
function makeList(page, choose) {
  const data = page.examples;
  const ofClasses = page.labels !== null;
  const label = (code) => page.labels[code];
  const wrong = (k) => data.true !== undefined && data.true[k] !== data.said[k];
  const columns = [{ key: "name", text: page.noun, value: (k) => data.name[k] }];
  if (data.true) columns.push({ key: "true", text: "true", num: !ofClasses, value: (k) => (ofClasses ? label(data.true[k]) : data.true[k]) });
  columns.push({ key: "said", text: "predicted", num: !ofClasses, value: (k) => (ofClasses ? label(data.said[k]) : data.said[k]) });
  if (data.sure) columns.push({ key: "sure", text: "prob.", num: true, value: (k) => data.sure[k], show: (v) => percent(v, 0) });
  if (data.off) columns.push({ key: "off", text: "error", num: true, value: (k) => Math.abs(data.off[k]), show: (_, k) => (data.off[k] > 0 ? "+" : "") + round(data.off[k]).replace("-", "−") });
  const marked = ofClasses && data.true !== undefined;
  const state = { find: "", which: "all", pair: null, sort: null, down: false, rows: [], chosen: -1 };
  const body = byId("rows");
  const compare = new Intl.Collator("en", { numeric: true }).compare;

  const rows = data.name.map((name, k) => make("tr", { role: "row", tabindex: "-1", "data-k": k, "aria-selected": "false", class: marked && wrong(k) ? "wrong" : "" },
    ...columns.map((c) => make("td", { role: "gridcell", class: c.num ? "num" : "" }, c.show ? c.show(c.value(k), k) : c.num ? round(c.value(k)) : c.value(k))),
    marked ? make("td", { role: "gridcell", class: "mark" }, make("span", { "aria-hidden": "true" }, wrong(k) ? "✕" : "✓"), make("span", { class: "sr" }, wrong(k) ? "mistake" : "right")) : null));

  function heads() {
    byId("heads").replaceChildren(...columns.map((c) => make("th", {
      scope: "col", class: c.num ? "num" : "", "aria-sort": state.sort === c.key ? (state.down ? "descending" : "ascending") : "none",
    }, make("button", { type: "button", "data-sort": c.key, on: { click: () => sortBy(c.key) } }, c.text))),
    ...(marked ? [make("th", { scope: "col", class: "mark", "aria-sort": state.sort === "mark" ? "descending" : "none" }, make("button", { type: "button", "data-sort": "mark", "aria-label": "mistakes first", title: "mistakes first", on: { click: () => sortBy(null) } }, "✕"))] : []));
  }

  function sortBy(key) {
    if (key === null) { state.sort = marked ? "mark" : null; state.down = false; }
    else { state.down = state.sort === key ? !state.down : columns.find((c) => c.key === key).num === true; state.sort = key; }
    heads();
    byId("heads").querySelector(`[data-sort="${state.sort}"]`)?.focus();
    show();
  }

  function order(found) {
    const column = columns.find((c) => c.key === state.sort);
    if (!column) return found; // as written: what to look at first is on top
    const flip = state.down ? -1 : 1;
    const by = column.num ? (a, b) => a - b : compare;
    return found.sort((a, b) => flip * by(column.value(a), column.value(b)) || a - b);
  }

  function passes(k) {
    if (state.pair && (data.true[k] !== state.pair[0] || data.said[k] !== state.pair[1])) return false;
    if (state.which === "wrong" && !wrong(k)) return false;
    if (state.which === "right" && wrong(k)) return false;
    return !state.find || columns.some((c) => !c.show && String(c.value(k)).toLowerCase().includes(state.find));
  }

  function show() {
    state.rows = order(data.name.map((_, k) => k).filter(passes));
    const none = make("tr", {}, make("td", { class: "none", colspan: columns.length + 1 }, "No example matches."));
    body.replaceChildren(...(state.rows.length ? state.rows.map((k) => rows[k]) : [none]));
    for (const row of rows) row.tabIndex = -1;
    const first = state.rows.includes(state.chosen) ? state.chosen : state.rows[0];
    if (first !== undefined) rows[first].tabIndex = 0;
    const note = byId("filtered");
    note.replaceChildren(`${state.rows.length.toLocaleString("en")} of ${data.name.length.toLocaleString("en")}`);
    if (state.pair) {
      const words = `true ${label(state.pair[0])}, predicted ${label(state.pair[1])}`;
      note.append(make("button", { type: "button", "aria-label": `${words}: show all again`, on: { click: () => { state.pair = null; show(); } } }, `${words} ✕`));
    }
  }

  function select(k, focus) {
    if (state.chosen >= 0) rows[state.chosen].setAttribute("aria-selected", "false");
    for (const row of rows) row.tabIndex = -1;
    state.chosen = k;
    rows[k].setAttribute("aria-selected", "true");
    rows[k].tabIndex = 0;
    if (!rows[k].isConnected) return;
    if (focus) rows[k].focus({ preventScroll: true });
    const box = byId("scroll");
    const top = rows[k].offsetTop - rows[k].parentNode.parentNode.tHead.offsetHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    if (rows[k].offsetTop + rows[k].offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = rows[k].offsetTop + rows[k].offsetHeight - box.clientHeight;
  }

  const rowOf = (event) => event.target.closest("tr[data-k]");
  body.addEventListener("click", (event) => { const row = rowOf(event); if (row) choose(Number(row.dataset.k)); });
  body.addEventListener("keydown", (event) => {
    const row = rowOf(event);
    if (!row) return;
    const to = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling, Home: body.firstElementChild, End: body.lastElementChild }[event.key];
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(Number(row.dataset.k)); }
    else if (event.key in { ArrowDown: 1, ArrowUp: 1, Home: 1, End: 1 }) {
      event.preventDefault();
      if (to) { row.tabIndex = -1; to.tabIndex = 0; to.focus(); }
    }
  });
  byId("find").addEventListener("input", (event) => { state.find = event.target.value.trim().toLowerCase(); show(); });
  let press = () => {};
  if (marked) press = makeSwitch(byId("which"), [["all", "All"], ["wrong", "Mistakes"], ["right", "Right"]], "all", (key) => { state.which = key; show(); });
  else byId("which").remove();
  if (marked) state.sort = "mark";
  heads();
  show();
  return {
    select, first: () => state.rows[0],
    neighbour: (k, step) => state.rows[state.rows.indexOf(k) + step],
    filter: (t, p) => { state.pair = [t, p]; state.which = "all"; press("all"); show(); byId("examples").scrollIntoView(); if (state.rows.length) rows[state.rows[0]].focus({ preventScroll: true }); },
    wrong, marked,
  };
}

// The page opens: data is read, the list is shown, graphs wait until they are asked for.
const page = block("page");
const list = new ExampleList(page, (k) => detail.open(k));
const detail = new Detail(page, list);
const filter = (t, p) => list.filter([t, p]);
detail.listeners.push(showOverview(page, filter, (k) => detail.open(k)));
byId("first").addEventListener("click", () => detail.open(list.shown[0]));
say("examples-note", noteOf(page));

function noteOf({ examples, labels, of }) {
  const n = examples.name.length;
  const notes = n < of ? [`${many(n)} of ${many(of)} are listed.`] : [];
  if (labels && examples.true) notes.push("Mistakes come first, the surest on top.");
  else if (labels) notes.push("The least sure come first.");
  else if (examples.true) notes.push("The largest residuals come first: true − predicted.");
  if (examples.seen.includes(1) && examples.seen.includes(0))
    notes.push("Those seen in training come last.");
  return notes.join(" ");
}

document.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const meant = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
  if (by === undefined || !meant || detail.k < 0) return;
  if (event.target.closest("input, select, textarea")) return;
  event.preventDefault();
  detail.go(detail.at + by);
});

// Colours: as the system has them, by day, or by night. Remembered where the browser allows it.
const THEMES = [
  ["", "Auto", "as the system has them"],
  ["light", "Light", "light"],
  ["dark", "Dark", "dark"],
];
let theme = 0;

function setTheme(next) {
  theme = next % THEMES.length;
  const [scheme, name, words] = THEMES[theme];
  document.documentElement.style.colorScheme = scheme;
  say("theme-name", name);
  byId("theme").setAttribute("aria-label", `Colours: ${words}`);
}

function remembered() {
  try {
    return THEMES.findIndex(([scheme]) => scheme === localStorage.getItem("graphtrees-theme"));
  } catch {
    return 0; // a page from a file may not be allowed to remember
  }
}

byId("theme").addEventListener("click", () => {
  setTheme(theme + 1);
  try {
    localStorage.setItem("graphtrees-theme", THEMES[theme][0]);
  } catch {
    // likewise
  }
});
setTheme(Math.max(0, remembered()));
document.documentElement.dataset.ready = "yes";

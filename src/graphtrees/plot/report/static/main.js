// The page opens: data is read, the list is shown, graphs wait until they are asked for.
const page = readBlock("page");
let detail = null;
const list = makeList(page, (k) => detail.open(k));
detail = makeDetail(page, list);
const markResidual = showOverview(page, list.filter, (k) => detail.open(k));
detail.hear(markResidual);

const shown = page.examples.name.length;
const first = page.labels ? (page.examples.true ? "Mistakes come first, the surest on top" : "The least sure come first") : page.examples.true ? "The largest errors come first" : "";
say("examples-note", [shown < page.of ? `${shown.toLocaleString("en")} of ${page.of.toLocaleString("en")} are listed.` : "", first ? `${first}.` : ""].join(" ").trim());
byId("first").addEventListener("click", () => { const k = list.first(); if (k !== undefined) detail.open(k); });

document.addEventListener("keydown", (event) => {
  if (!detail.isOpen() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea")) return;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  detail.go(detail.at() + by);
});

// Colours: as the system has them, or by day, or by night. Remembered where the browser allows it.
const THEMES = [["", "Auto", "as the system has them"], ["light", "Light", "light"], ["dark", "Dark", "dark"]];
let theme = 0;
function setTheme(next) {
  theme = (next + THEMES.length) % THEMES.length;
  const [scheme, name, words] = THEMES[theme];
  document.documentElement.style.colorScheme = scheme;
  say("theme-name", name);
  byId("theme").setAttribute("aria-label", `Colours: ${words}`);
  try { localStorage.setItem("graphtrees-theme", scheme); } catch { /* a page from a file may not remember */ }
}
byId("theme").addEventListener("click", () => setTheme(theme + 1));
try {
  const before = THEMES.findIndex(([scheme]) => scheme === localStorage.getItem("graphtrees-theme"));
  if (before > 0) setTheme(before);
} catch { /* likewise */ }
document.documentElement.dataset.ready = "yes";

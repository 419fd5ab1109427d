"use strict";
// Shows the step of the URL fragment (#r0.s5), moves between steps with arrow keys, and reloads a growing report.
// Text from agents is inserted as text, never as markup.
(() => {
  const wide = matchMedia("(min-width: 62rem)");
  const details = new Map();

  const stepsOf = (run) => document.querySelector(`ol.steps[data-run="${run}"]`);
  const panelOf = (run) => document.getElementById(`${run}-panel`);

  function detailsOf(run) {
    if (!details.has(run)) details.set(run, JSON.parse(document.getElementById(`${run}-data`).textContent));
    return details.get(run);
  }

  function make(name, className, ...children) {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.append(...children);
    return element;
  }

  function link(run, index, words) {
    const element = make("a", "", words);
    element.href = `#${run}.s${index}`;
    return element;
  }

  function diffOf(text) {
    const pre = make("pre", "diff");
    pre.tabIndex = 0;
    let isHead = true;
    for (const line of text.replace(/\n$/, "").split("\n")) {
      if (line.startsWith("diff --git ")) isHead = true;
      if (line.startsWith("@@")) isHead = false;
      if (isHead && /^(index|---|\+\+\+) /.test(line)) continue;
      const kinds = { "+": "added", "-": "removed", "@": "hunk" };
      pre.append(make("span", isHead ? "file" : kinds[line[0]] || "", `${line}\n`));
    }
    return pre;
  }

  function logOf(text) {
    const pre = make("pre", "", text);
    pre.tabIndex = 0;
    return make("details", "", make("summary", "", "End of the log"), pre);
  }

  function factsOf(step) {
    const list = make("dl", "facts");
    for (const [name, value] of step.facts) list.append(make("dt", "", name), make("dd", "", value));
    return list;
  }

  function headOf(run, index, step, count) {
    const title = make("h5", "", step.title);
    title.setAttribute("aria-live", "polite");
    const way = make("p", "way");
    if (index > 0) way.append(link(run, index - 1, "← previous"));
    if (index + 1 < count) way.append(link(run, index + 1, "next →"));
    for (const parent of step.parents) way.append(link(run, parent, `parent: step ${parent}`));
    return [make("header", "", title, make("span", `badge ${step.outcome_class}`, step.outcome)), way];
  }

  function fill(panel, run, index) {
    const all = detailsOf(run);
    const step = all[index];
    panel.replaceChildren(...headOf(run, index, step, all.length));
    if (step.idea) panel.append(make("p", "idea", step.idea));
    if (step.reason) panel.append(make("p", "note", step.reason));
    for (const violation of step.violations) panel.append(make("p", "note violation", `violation: ${violation}`));
    panel.append(factsOf(step));
    if (step.diff) panel.append(diffOf(step.diff));
    if (step.diff_note) panel.append(make("p", "muted", step.diff_note));
    if (step.log) panel.append(logOf(step.log));
    panel.hidden = false;
  }

  // On a phone the panel opens below the step, because the end of a long list is far away.
  function place(panel, row) {
    const home = row.closest(".explorer");
    const slot = wide.matches ? home : row;
    if (panel.parentElement !== slot) slot.append(panel);
  }

  function mark(run, index, row) {
    const page = document.getElementById(run);
    for (const old of page.querySelectorAll("[aria-current], .selected")) {
      old.removeAttribute("aria-current");
      old.classList.remove("selected");
    }
    row.firstElementChild.setAttribute("aria-current", "true");
    for (const one of page.querySelectorAll(`figure svg a[href="#${run}.s${index}"]`)) one.classList.add("selected");
  }

  function show(run, index) {
    const row = stepsOf(run)?.children[index];
    if (!row) return null;
    document.getElementById(run).open = true;
    const panel = panelOf(run);
    fill(panel, run, index);
    place(panel, row);
    mark(run, index, row);
    if (wide.matches) keepInView(row);
    return row;
  }

  function keepInView(row) {
    const list = row.parentElement;
    const above = row.offsetTop;
    const below = above + row.offsetHeight;
    if (above < list.scrollTop || below > list.scrollTop + list.clientHeight) list.scrollTop = above - 2 * row.offsetHeight;
  }

  function follow() {
    const [, run, index] = /^#(r\d+)(?:\.s(\d+))?$/.exec(location.hash) || [];
    if (!run || !document.getElementById(run)) return;
    document.getElementById(run).open = true;
    if (index === undefined) return;
    const row = show(run, Number(index));
    if (!row) return;
    if (wide.matches) panelOf(run).scrollIntoView({ block: "nearest" });
    else row.scrollIntoView({ block: "start" });
  }

  function walk(event) {
    const row = event.target.closest("ol.steps > li");
    if (!row || !event.target.matches("a.step")) return;
    const list = row.parentElement;
    const goals = {
      ArrowDown: row.nextElementSibling,
      ArrowUp: row.previousElementSibling,
      Home: list.firstElementChild,
      End: list.lastElementChild,
    };
    const goal = goals[event.key];
    if (!goal) return;
    event.preventDefault();
    goal.firstElementChild.focus();
    history.replaceState(null, "", goal.firstElementChild.hash);
    follow();
  }

  // A wide page initially shows the winner, or the last step if there is none.
  function showFirst(page) {
    if (!page.open || !wide.matches || !panelOf(page.id).hidden) return;
    const rows = [...stepsOf(page.id).children];
    const winner = rows.findIndex((row) => row.querySelector("em.winner"));
    show(page.id, winner < 0 ? rows.length - 1 : winner);
  }

  function remember() {
    const open = [...document.querySelectorAll("details.run[open]")].map((page) => page.id);
    try {
      sessionStorage.setItem("fmlbench-open", JSON.stringify(open));
    } catch {
      // Without storage a reloaded page only forgets which runs were open.
    }
  }

  function recall() {
    try {
      for (const id of JSON.parse(sessionStorage.getItem("fmlbench-open") || "[]")) {
        const page = document.getElementById(id);
        if (page) page.open = true;
      }
    } catch {
      // See above.
    }
  }

  const pages = [...document.querySelectorAll("details.run")];
  const refresh = Number(document.documentElement.dataset.refresh);
  if (refresh) {
    recall();
    setTimeout(() => {
      remember();
      location.reload();
    }, refresh * 1000);
  }
  for (const page of pages) page.addEventListener("toggle", () => showFirst(page));
  addEventListener("hashchange", follow);
  addEventListener("keydown", walk);
  wide.addEventListener("change", () => {
    for (const link_ of document.querySelectorAll("a.step[aria-current]")) {
      place(panelOf(link_.closest("ol").dataset.run), link_.parentElement);
    }
  });
  pages.forEach(showFirst);
  follow();
})();

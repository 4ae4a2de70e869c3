// Keys that work while the component has the focus, wherever in it.

const ACTS = {
  j: (state) => neighbour(state, 1),
  k: (state) => neighbour(state, -1),
  ArrowLeft: (state) => state.step(-1),
  ArrowRight: (state) => state.step(1),
  n: (state) => state.anotherDraw(),
  1: (state) => state.setView("beside"),
  2: (state) => state.setView("hundred"),
  3: (state) => state.setView("cells"),
  z: (state) => state.data.flags.undo && state.ask("undo"),
  Z: (state) => state.data.flags.redo && state.ask("redo"),
  e: (state) => state.selected && state.ask("edit", state.selected),
  d: (state) => state.selected && state.ask("duplicate", state.selected),
  Delete: (state) => state.selected && state.ask("remove", state.selected),
};

/** The next or last statistic of those that the list shows. */
function neighbour(state, by) {
  const ids = state.shown.map((each) => each.id);
  const place = ids.indexOf(state.selected) + by;
  if (place >= 0 && place < ids.length) state.select(ids[place]);
}

export function listen(root, state) {
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input") || !state.data) return;
    const act = ACTS[event.key];
    if (!act) return;
    act(state);
    event.preventDefault();
  });
}

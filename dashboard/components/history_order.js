// An order by hand: chips that are dragged, moved by keys or by their arrows, taken out and put
// back. What is done is seen at once; the server is told when the hand rests, and its answer to
// something older does not undo what was done meanwhile.

const REST = 350; // ms without a change until the server is told
const PATIENCE = 4000; // ms after which the server's order counts, whatever was told
const STARTS = 5; // px from which a press is a drag
const EDGE = 70; // px from the window's edges in which the page scrolls below a drag

let page;
let names = []; // first to last, as seen
let collection; // whose versions these are
let waiting; // the order that the server does not show yet, as JSON
let timer;
let drag;
let active; // the chip that the keys are on

const box = () => page.parentElement.querySelector('.order');
const every = () => [...page.data.names, ...page.data.out];
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const node = (name, kind, text, more = {}) => {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(more)) made.setAttribute(key, value);
  return made;
};

const button = (kind, text, label, does, disabled = false) => {
  const made = node('button', kind, text, { type: 'button', 'aria-label': label, title: label });
  made.disabled = disabled;
  made.onclick = does;
  return made;
};

const giveUp = () => {
  waiting = undefined;
  names = [...page.data.names];
  draw();
};

const tell = () => {
  page.setTriggerValue('order', names);
  timer = setTimeout(giveUp, PATIENCE);
};

const change = (next, said) => {
  if (same(next, names)) return;
  names = next;
  waiting = JSON.stringify(names);
  clearTimeout(timer);
  timer = setTimeout(tell, REST);
  draw();
  box().querySelector('.said').textContent = said;
};

const place = (name, at) => {
  const rest = names.filter((other) => other !== name);
  const to = Math.min(Math.max(at, 0), rest.length);
  active = name;
  change([...rest.slice(0, to), name, ...rest.slice(to)], `${name}, now ${to + 1} of ${names.length}`);
};

const takeOut = (name) => {
  if (names.length <= page.data.fewest) return;
  const at = names.indexOf(name);
  const rest = names.filter((other) => other !== name);
  active = rest[Math.min(at, rest.length - 1)];
  change(rest, `${name} is left out`);
};

const putBack = (name) => {
  active = name;
  change([...names, name], `${name} is the last of ${names.length + 1}`);
};

// Keys

const keyed = (event, name) => {
  const at = names.indexOf(name);
  const ends = { Home: 0, End: names.length - 1 };
  const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  const to = ends[event.key] ?? at + (steps[event.key] ?? NaN);
  if (event.key === 'Delete' || event.key === 'Backspace') takeOut(name);
  else if (Number.isNaN(to)) return;
  else if (event.altKey) place(name, to);
  else focusOn(names[Math.min(Math.max(to, 0), names.length - 1)]);
  event.preventDefault();
  event.stopPropagation();
};

const chipOf = (name) => [...box().querySelectorAll('.chip')].find((chip) => chip.dataset.name === name);

const focusOn = (name) => {
  active = name;
  for (const each of box().querySelectorAll('.chip .name'))
    each.tabIndex = each.closest('.chip').dataset.name === name ? 0 : -1;
  chipOf(name)?.querySelector('.name').focus();
};

// Dragging. The chip follows the hand, a mark shows where it would stand, the order changes at the
// end.

const others = () => [...box().querySelectorAll('ol .chip')].filter((chip) => chip !== drag.chip);

const spotAt = (x, y) =>
  others().filter((chip) => {
    const { left, right, top, bottom } = chip.getBoundingClientRect();
    return bottom < y || (top <= y && (left + right) / 2 < x);
  }).length;

const unmark = () => {
  for (const chip of box().querySelectorAll('.before, .after')) chip.classList.remove('before', 'after');
};

const moved = (event) => {
  if (!drag) return;
  const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.on && Math.hypot(dx, dy) < STARTS) return;
  drag.on = true;
  drag.chip.classList.add('held');
  const main = document.querySelector('[data-testid=stMain]');
  const by = event.clientY < EDGE ? -12 : event.clientY > innerHeight - EDGE ? 12 : 0;
  if (by && main) {
    const before = main.scrollTop;
    main.scrollTop += by;
    drag.y -= main.scrollTop - before;
  }
  drag.chip.style.transform = `translate(${dx}px, ${event.clientY - drag.y}px)`;
  drag.at = spotAt(event.clientX, event.clientY);
  unmark();
  const rest = others();
  if (drag.at < rest.length) rest[drag.at].classList.add('before');
  else rest.at(-1)?.classList.add('after');
};

const ended = (event) => {
  if (!drag) return;
  const { chip, name, at, on } = drag;
  drag = undefined;
  unmark();
  chip.classList.remove('held');
  chip.style.transform = '';
  if (on && event.type === 'pointerup') place(name, at);
  draw(); // what the server said meanwhile
};

const pressed = (event, chip, name) => {
  const grip = event.target.closest('.grip, .name');
  if (!grip || event.button !== 0 || (event.pointerType !== 'mouse' && grip.matches('.name'))) return;
  drag = { chip, name, x: event.clientX, y: event.clientY, at: names.indexOf(name), on: false };
  chip.setPointerCapture(event.pointerId);
};

// Drawing

const chipFor = (name, at) => {
  const item = node('li');
  const chip = node('div', 'chip');
  chip.dataset.name = name;
  const grip = node('span', 'grip', '⠿', { 'aria-hidden': 'true' });
  const said = `${name}, ${at + 1} of ${names.length}`;
  const attributes = { type: 'button', 'aria-label': said, 'aria-describedby': 'keys', title: `${name}\nAlt + arrow: move · Delete: leave out` };
  const title = node('button', 'name', undefined, attributes);
  const [glyph, color] = page.data.marks[name];
  const mark = node('span', 'mark', glyph);
  mark.style.color = color;
  title.append(node('span', 'place', String(at + 1)), mark, document.createTextNode(page.data.short[name] ?? name));
  title.tabIndex = name === active ? 0 : -1;
  title.onkeydown = (event) => keyed(event, name);
  title.onclick = () => focusOn(name);
  const few = names.length <= page.data.fewest;
  chip.append(
    grip,
    title,
    button('step', '◂', `Move ${name} earlier`, () => place(name, at - 1), at === 0),
    button('step', '▸', `Move ${name} later`, () => place(name, at + 1), at === names.length - 1),
    button('out', '✕', `Remove ${name}`, () => takeOut(name), few),
  );
  chip.onpointerdown = (event) => pressed(event, chip, name);
  chip.onpointermove = moved;
  chip.onpointerup = ended;
  chip.onpointercancel = ended;
  chip.onlostpointercapture = ended;
  item.append(chip);
  return item;
};

const draw = () => {
  const root = box();
  if (!root || drag) return;
  // What stands as it is stays: somebody may be about to press it.
  const out = every().filter((name) => !names.includes(name));
  const drawn = JSON.stringify([names, out, page.data]);
  if (root.dataset.drawn === drawn) return;
  root.dataset.drawn = drawn;
  root.classList.toggle('rows', page.data.rows);
  const focused = root.getRootNode().activeElement;
  const inside = root.contains(focused);
  // Who came to a chip without being sent there, by Tab for example, stays on it.
  const on = inside && focused.closest('.chip')?.dataset.name;
  if (names.includes(on)) active = on;
  if (!names.includes(active)) [active] = names;
  const chips = node('ol', '', undefined, { 'aria-label': 'Versions, first to last' });
  chips.append(...names.map(chipFor));
  root.querySelector('ol').replaceWith(chips);
  const left = node('ul', '', undefined, { 'aria-label': 'Left out' });
  if (out.length) left.append(node('li', '', 'Left out:'));
  for (const name of out) {
    const item = node('li');
    item.append(button('in', `+ ${page.data.short[name] ?? name}`, `Restore ${name}`, () => putBack(name)));
    left.append(item);
  }
  left.hidden = !out.length;
  root.querySelector('ul').replaceWith(left);
  if (inside) focusOn(active);
};

// Escape puts a chip back where it was taken.
const escaped = (event) => {
  if (event.key === 'Escape' && drag) ended(event);
};
const listening = new AbortController();
window.ranklensOrder?.abort();
window.ranklensOrder = listening;
document.addEventListener('keydown', escaped, { capture: true, signal: listening.signal });

export default function (given) {
  page = given;
  const gone = collection !== page.data.collection || names.some((name) => !every().includes(name));
  collection = page.data.collection;
  if (waiting === undefined || gone || waiting === JSON.stringify(page.data.names)) {
    waiting = undefined;
    clearTimeout(timer);
    names = [...page.data.names];
  }
  draw();
}

// Judging by keys: the documents of a query as rows, or those of a queue one at a time. What is
// given is seen at once and told until the server says that it is kept, so that nothing is lost
// between two of its answers, however fast somebody types.

const NAME = 'ranklens-judge-name';
const AGAIN = 4000;
const REDRAWN = 150;
const BEGINNING = 80; // characters of a text that stand for a title
const MOST_TRIES = 5; // what the server refuses is told there, not asked for ever

const visit = Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36)).join('');
let acts = []; // what was done and is not known to be kept
let number = 0;
const shown = new Map(); // grades that the server does not know yet
// Of one place alone, the queue or the rows of one query of a comparison:
let place;
const seen = new Map(); // documents that were offered, to go back to
let current;
let undone = []; // what Z takes back, newest last
let used = false; // judging has begun, so arrows are ours
let unfolded = false; // all documents of a query are shown, not one
let longest = 0; // characters of the longest document, for the height of the card
let naming = false; // who judges is being said
let page;
let timer;
let tries = 0;
let introduced; // the name that the server was told

const keyOf = (row) => JSON.stringify([row.query_id, row.doc_id]);
const gradeOf = (row) => (shown.has(keyOf(row)) ? shown.get(keyOf(row)) : row.grade);
const stored = () => {
  try {
    return localStorage.getItem(NAME) ?? '';
  } catch {
    return ''; // no storage: the name is asked for again
  }
};

const send = () => {
  clearTimeout(timer);
  page.setTriggerValue('acts', { session: visit, by: stored(), acts });
  tries += 1;
  if (acts.length && tries < MOST_TRIES) timer = setTimeout(send, AGAIN);
};

const act = (row, told) => {
  number += 1;
  acts.push({ n: number, query_id: row.query_id, doc_id: row.doc_id, ...told });
  used = true;
  tries = 0;
  send();
};

const rows = () => page.data.rows;
const here = () => rows().find((row) => keyOf(row) === current) ?? seen.get(current);
const open = (row) => gradeOf(row) === null && !passed.has(keyOf(row));
const passed = new Set(); // skipped, not known to the server yet

const step = (by) => {
  const every = rows();
  const place = every.findIndex((row) => keyOf(row) === current);
  const next = every[Math.min(Math.max(place + by, 0), every.length - 1)];
  if (next) current = keyOf(next);
};

const onward = () => {
  if (unfolded) return step(1);
  const every = rows();
  const at = every.findIndex((row) => keyOf(row) === current);
  // What was skipped of a query comes again behind its others.
  const behind = [...every.slice(at + 1), ...every.slice(0, Math.max(at, 0))];
  const next = (page.data.one ? every : behind).find((row) => open(row) && keyOf(row) !== current);
  if (next || page.data.one) current = next && keyOf(next);
};

const give = (row, grade) => {
  undone.push({ row, grade: gradeOf(row) });
  shown.set(keyOf(row), grade);
  current = keyOf(row);
  act(row, { grade });
  onward();
  draw();
};

const skip = (row) => {
  if (page.data.one) {
    undone.push({ row, grade: gradeOf(row) });
    passed.add(keyOf(row));
    act(row, { skip: true });
  }
  used = true;
  onward();
  draw();
};

const back = () => {
  const last = undone.pop();
  if (!last) return;
  shown.set(keyOf(last.row), last.grade);
  passed.delete(keyOf(last.row));
  current = keyOf(last.row);
  act(last.row, { grade: last.grade });
  draw();
};

const node = (name, kind, text, more = {}) => {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(more)) made.setAttribute(key, value);
  return made;
};

const button = (text, kind, does, more) => {
  const made = node('button', kind, text, { type: 'button', ...more });
  made.onclick = () => {
    does();
    page.parentElement.querySelector('.judge')?.focus({ preventScroll: true });
  };
  return made;
};

// The grades of a row of a list.
const grades = (row) => {
  const group = node('span', 'grades', undefined, { role: 'group', 'aria-label': 'Grade' });
  for (const grade of page.data.grades) {
    const given = gradeOf(row) === grade;
    group.append(
      button(String(grade), `grade ${given ? page.data.tints[grade] : ''}`, () => give(row, grade), {
        'aria-pressed': given,
      }),
    );
  }
  group.append(button('skip', 'grade', () => skip(row)));
  return group;
};

// The grades of a queue with their names and keys, and what is beside them.
const keyed = (name, key, kind, does, more) => {
  const made = button(name, kind, does, more);
  made.append(' ', node('kbd', name ? 'hint' : '', key));
  return made;
};

const question = () => node('p', 'question', 'How relevant is this document?');
const choices = (row) => {
  const group = node('div', 'choices', undefined, { role: 'group', 'aria-label': 'Grade' });
  page.data.grades.forEach((grade, i) => {
    const given = gradeOf(row) === grade;
    group.append(
      keyed(page.data.names[i], String(grade), `grade ${given ? page.data.tints[grade] : ''}`, () => give(row, grade), {
        'aria-pressed': given,
      }),
    );
  });
  group.append(keyed('Skip', '↓', 'grade', () => skip(row)));
  if (page.data.one) group.prepend(question()), group.append(keyed('Undo', 'Z', 'grade', back, undone.length ? {} : { disabled: '' }));
  return group;
};

// A text comes in pieces, by turns outside and inside the query's words.
const said = (pieces) => pieces.join('');
const marked = (name, kind, pieces) => {
  const made = node(name, kind);
  made.append(...pieces.map((piece, i) => (i % 2 ? node('mark', '', piece) : piece)));
  return made;
};

const named = (row) => {
  const name = node('span', 'named');
  const titled = said(row.title);
  if (titled) name.append(marked('b', '', row.title), ' ');
  name.append(node(titled ? 'small' : 'b', '', row.doc_id));
  return name;
};

// A document without a title is told by its first words, until its text is shown.
const beginning = (row) => {
  const text = said(row.title) ? '' : said(row.text).trim();
  return text && node('small', 'beginning', ` ${text.slice(0, BEGINNING)}${text.length > BEGINNING ? ' …' : ''}`);
};

const listRow = (row) => {
  const active = keyOf(row) === current;
  const item = node('li', active ? 'row active' : 'row');
  if (active) item.setAttribute('aria-current', 'true');
  const grade = gradeOf(row);
  const tint = grade === null ? 'open' : (page.data.tints[grade] ?? '');
  item.append(
    node('span', `chip ${tint}`, grade === null ? '?' : String(grade)),
    named(row),
  );
  const first = !active && beginning(row);
  if (first) item.querySelector('.named').append(first);
  item.append(active ? grades(row) : node('span', 'where', row.where));
  item.onclick = (event) => {
    if (event.target.closest('button')) return;
    current = keyOf(row);
    draw();
  };
  if (active && said(row.text)) item.append(marked('p', 'text', row.text));
  return item;
};

// The query stays in sight however long the document is: only that is scrolled.
const card = (row) => {
  const made = node('div', 'card');
  const query = node('div', 'query');
  query.append(node('small', '', row.heading), node('p', 'asked', row.query, { dir: 'auto' }));
  const text = node('div', 'document', undefined, { tabindex: 0, role: 'region', 'aria-label': 'Document', dir: 'auto' });
  const first = named(row);
  if (row.where) first.append(node('small', 'where', row.where));
  text.append(first);
  if (said(row.text)) text.append(marked('p', 'text', row.text));
  made.append(query, text);
  return made;
};

const NEXT = 6;

// Of a queue that settles the order those are counted that do; the server knows how many more stand
// behind the ones at hand.
const comesNext = (row) => {
  const next = rows().filter((other) => open(other) && keyOf(other) !== keyOf(row));
  const made = node('aside', 'next', undefined, { 'aria-label': 'Next documents' });
  const head = node('p', 'head', next.length ? 'Next documents' : 'This is the last one');
  const counted = next.filter((other) => other.settles || !page.data.settle).length + page.data.queue.behind;
  const others = page.data.settle && page.data.total - page.data.settle;
  if (counted) head.append(node('small', '', `${count(counted)} after this one${others ? `, then ${count(others)} others` : ''}`));
  made.append(head);
  const list = node('ol', '');
  for (const other of next.slice(0, NEXT)) {
    const item = node('li', '');
    item.append(node('span', '', said(other.title) || other.doc_id), node('small', '', `for: ${other.query}`));
    list.append(item);
  }
  made.append(list);
  return made;
};

const judged = () => {
  // What was typed and is not yet in the server's count.
  let n = page.data.judged;
  for (const [key, grade] of shown) {
    const row = rows().find((r) => keyOf(r) === key) ?? seen.get(key);
    if (row && (row.settles || !page.data.settle)) n += (grade !== null) - (row.grade !== null);
  }
  return n;
};

const count = (n) => n.toLocaleString('en');
const told = () => page.data.queue.progress ?? `${count(judged())} of ${count(page.data.settle || page.data.total)} judged`;

// Who judges: a name, and the field that changes it once it is asked for.
const judgedBy = () => {
  const called = stored() || page.data.name;
  const made = node('span', 'by');
  if (!naming) {
    const change = node('button', 'plain', '', { type: 'button', title: 'Each name has its own layer' });
    change.onclick = () => {
      naming = true;
      draw();
      page.parentElement.querySelector('.by input')?.select();
    };
    change.append(node('b', '', called), ' ', node('span', 'edit', 'change'));
    made.append('Your name: ', change);
    return made;
  }
  const name = node('input', '', undefined, { 'aria-label': 'Your name', maxlength: 40 });
  name.value = called;
  name.onblur = () => {
    naming = false;
    setTimeout(draw, REDRAWN); // what was clicked meanwhile is still there to be clicked
  };
  name.onkeydown = (event) => {
    if (event.key === 'Enter' || event.key === 'Escape') name.blur();
  };
  name.onchange = () => {
    try {
      localStorage.setItem(NAME, name.value);
    } catch {
      // Without storage the name lasts as long as the page.
    }
    page.setTriggerValue('acts', { session: visit, by: name.value, acts });
  };
  const label = node('label', '', 'Your name: ');
  label.append(name);
  made.append(label);
  return made;
};

const pending = () => (acts.length ? [node('span', 'pending', `saving ${acts.length} …`)] : []);

// What was before, and what is now where that is something else.
const changeOf = ([what, before, after]) => {
  const made = node('li', '');
  made.append(node('span', '', what), node('b', '', before === after ? after : `${before} → ${after}`));
  return made;
};

const changes = (row) => {
  const { changes: every, scores, of, title } = page.data.queue;
  const made = node('section', 'side');
  const list = node('ul', '');
  const own = (row && scores[row.query_id]) ?? [];
  list.append(...every.map(changeOf), ...own.map(([run, ...both]) => changeOf([`this query, ${run}`, ...both])));
  if (row?.effect) list.append(changeOf(['effect of this document', row.effect, row.effect]));
  made.append(node('h2', '', title), list, node('p', '', of));
  return made;
};

const choose = (chosen) => page.setTriggerValue('chosen', chosen);

const orders = () => {
  const { order, orders: every, blind } = page.data.queue;
  const made = node('section', 'side');
  const group = node('div', 'orders', undefined, { role: 'group', 'aria-label': 'Order' });
  for (const [key, name, use] of every) {
    group.append(button(name, 'order', () => choose({ order: key }), { 'aria-pressed': key === order }));
    group.lastChild.append(node('small', '', use));
  }
  const hidden = button('Blind: hide runs and ranks', 'switch', () => choose({ blind: blind ? 'off' : 'on' }), {
    role: 'switch',
    'aria-checked': blind,
  });
  hidden.append(node('small', '', 'on by default once two people judge'));
  made.append(node('h2', '', 'Order of documents'), group, ...(blind === null ? [] : [hidden]));
  return made;
};

const saved = () => {
  // Drawn queries are always judged blind.
  const rest = page.data.queue.blind === null ? 'runs and ranks are hidden' : 'uploaded judgments are unchanged';
  const made = node('p', 'keys', `Saved automatically; ${rest}.`);
  made.append(node('span', 'hint', ' Space scrolls a long document.'));
  return made;
};

// A queue: how far it is, the card with its grades, and what follows.
const queue = (row) => {
  const { queue: about, nothing } = page.data;
  const made = node('div', row ? 'queue' : 'queue over');
  const top = node('div', 'top');
  const bar = node('span', 'bar', undefined, { 'aria-hidden': true });
  const share = about.share ?? (100 * judged()) / (page.data.settle || page.data.total || 1);
  bar.style.setProperty('--done', `${share}%`);
  if (about.tick) {
    const tick = node('span', 'tick', 'first result');
    tick.style.left = `${about.tick}%`;
    bar.append(tick);
  }
  top.append(node('span', 'progress', told(), { role: 'status' }), bar, ...pending());
  top.append(...(about.counted ? [node('span', 'counted', about.counted)] : []), judgedBy());
  const main = node('div', 'main');
  if (row) main.append(card(row), choices(row), saved(), comesNext(row));
  else main.append(nothing && node('p', 'none', nothing), ...(undone.length ? [keyed('Undo', 'Z', 'grade', back)] : []));
  const aside = node('aside', 'beside');
  if (about.changes.length) aside.append(changes(row));
  if (about.orders.length) aside.append(orders());
  made.append(top, main, aside);
  return made;
};

// The documents of a query: one of them, or all.
const single = (row) => {
  const made = node('div', 'single');
  const first = named(row);
  if (row.where) first.append(node('small', 'where', row.where));
  made.append(first);
  if (said(row.text)) made.append(marked('p', 'text', row.text));
  made.append(question(), choices(row));
  return made;
};

const unfold = () => {
  unfolded = !unfolded;
  draw();
};

const ofQuery = (row) => {
  const foot = node('div', 'foot');
  const more = rows().length - 1;
  const undo = button('Undo', 'plain', back);
  undo.append(node('span', 'hint', ' (Z)'));
  const all = button(unfolded ? 'One at a time' : `${more} more ${more > 1 ? 'documents' : 'document'}`, 'plain', unfold, { 'aria-expanded': unfolded });
  if (!unfolded) {
    // What there is more of stands last, beside the way to all queries.
    if (judged()) foot.append(node('span', 'progress', told(), { role: 'status' }));
    foot.append(...(undone.length ? [undo] : []), ...pending(), node('span', 'more', ''));
    if (more) foot.lastChild.append(all);
    return [...(row ? [single(row)] : []), foot];
  }
  const list = node('ol', 'rows');
  list.append(...rows().map(listRow));
  foot.append(node('span', 'progress', told(), { role: 'status' }), judgedBy(), undo, all, ...pending());
  return [list, foot];
};

const draw = () => {
  const box = page.parentElement.querySelector('.judge');
  const focused = page.parentElement.querySelector('input:focus, input:active');
  if (!box || focused) return;
  const inside = box.contains(box.getRootNode().activeElement);
  const row = here();
  box.replaceChildren(...(page.data.one ? [queue(row)] : ofQuery(row)));
  longest = Math.max(longest, ...rows().map((each) => said(each.text).length));
  box.style.setProperty('--longest', longest);
  if (inside) box.focus({ preventScroll: true });
};

const typing = (event) => {
  const at = event.composedPath()[0];
  return at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName ?? '');
};

const onButton = (event) => /^(BUTTON|A|SUMMARY)$/.test(event.composedPath()[0].tagName ?? '');
const scroll = (box) => {
  const text = box.querySelector('.document');
  text.scrollBy({ top: text.clientHeight * 0.8 });
};

// A key grades nothing that is not seen.
const inView = (box) => {
  const { top, bottom } = box?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
  return top < window.innerHeight && bottom > 0;
};

// Single keys that are switched off on Help act only in the card that has the focus.
const switchedOff = () => {
  try {
    return localStorage.getItem('ranklens keys off') !== null;
  } catch {
    return false;
  }
};

const press = (event) => {
  if (!page?.parentElement.isConnected) return;
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event)) return;
  const box = page.parentElement.querySelector('.judge');
  const inside = Boolean(box?.contains(box.getRootNode().activeElement));
  const ours = page.data.one || used || inside;
  if ((!ours && !inView(box)) || (switchedOff() && !inside)) return;
  const row = here();
  const digit = /^[0-9]$/.test(event.key) ? Number(event.key) : undefined;
  if (digit !== undefined && row && page.data.grades.includes(digit)) give(row, digit);
  else if (event.key.toLowerCase() === 'z' && undone.length) back();
  else if (event.key === 'ArrowDown' && ours && row) skip(row);
  else if (event.key === ' ' && page.data.one && row && !onButton(event)) scroll(box);
  else if (event.key === 'ArrowUp' && ours && unfolded) step(-1), draw();
  else return;
  event.preventDefault();
  event.stopPropagation();
};

// Who clicks elsewhere has the arrows for scrolling again.
const leave = (event) => {
  if (!page?.parentElement.isConnected) return;
  if (!event.composedPath().includes(page.parentElement)) used = false;
};

// Should this text ever be loaded again, one of them listens.
const listening = new AbortController();
window.ranklensJudging?.abort();
window.ranklensJudging = listening;
const how = { capture: true, signal: listening.signal };
document.addEventListener('keydown', press, how);
document.addEventListener('pointerdown', leave, how);

export default function (given) {
  page = given;
  const { data } = page;
  if (data.session === visit) acts = acts.filter((a) => a.n > data.done);
  const left = new Set(acts.map(keyOf));
  for (const known of [shown, passed]) for (const key of known.keys()) if (!left.has(key)) known.delete(key);
  if (JSON.stringify(data.place) !== place) {
    place = JSON.stringify(data.place);
    seen.clear();
    undone = [];
    longest = 0;
    current = undefined;
    used = unfolded = false;
  }
  for (const row of data.rows) seen.set(keyOf(row), row);
  if (!here() || (data.one && !undone.length && !open(here()))) {
    const first = data.rows.find(open) ?? (data.one ? undefined : data.rows[0]);
    current = first && keyOf(first);
  }
  if (!acts.length) clearTimeout(timer);
  if (stored() && stored() !== data.name && introduced !== stored()) {
    introduced = stored();
    send();
  }
  draw();
}

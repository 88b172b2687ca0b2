// The keys of every page.

// Single keys act nowhere where a key means something else: in a field, a menu, a table that scrolls,
// a group of buttons. They can be switched off; the browser remembers it.
const OFF = 'ranklens keys off';
const WAIT = 1500;

const off = () => {
  try {
    return localStorage.getItem(OFF) !== null;
  } catch {
    return false;
  }
};

const switchKeys = () => {
  try {
    if (off()) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, '1');
  } catch {
    // Nothing is remembered where the browser keeps nothing.
  }
  sayKeys();
};

const sayKeys = () => {
  for (const link of document.querySelectorAll('[data-keys]')) {
    const says = `Turn ${off() ? 'on' : 'off'} single-key shortcuts`;
    if (link.textContent !== says) link.textContent = says;
  }
};

const typing = (target) =>
  target?.closest?.(
    'input, textarea, select, [contenteditable], [role=radiogroup], [role=listbox], [role=dialog],'
      + ' .lens [role=region]',
  );

let begun = -WAIT; // when G was pressed

// Keys that lead into a field: the search, and the note on a query.
const FIELDS = {
  '/': '[data-testid=stMain] .st-key-w_find input',
  n: '.st-key-side_note textarea',
};

const meant = (key) => {
  const opens = performance.now() - begun < WAIT;
  begun = key === 'g' ? performance.now() : -WAIT;
  if (opens) return document.querySelector(`.lens.pages a[data-key="${CSS.escape(key)}"]`);
  const step = { ArrowLeft: 'previous', ArrowRight: 'next', j: 'next', k: 'previous' }[key];
  if (step) return document.querySelector(`.lens.steps-through a.${step}`);
  if (key === 'w') return [...document.querySelectorAll('.st-key-side_what_if .lens a')].at(-1);
  if (key === '?') return document.querySelector('.lens.pages a[data-key=h]');
  return undefined;
};

// Beside the list, arrows open the query of another row, and Escape closes it.
const BESIDE = { ArrowUp: 'previous', ArrowDown: 'next', Escape: 'back' };
const OVER = ':popover-open, [role=dialog], [data-testid=stPopoverBody]';
const stepBeside = ({ key, altKey, ctrlKey, metaKey, target }) => {
  const link = BESIDE[key] && document.querySelector(`.st-key-beside .steps-through a.${BESIDE[key]}`);
  const isOther = altKey || ctrlKey || metaKey || target.closest?.('input, textarea, select');
  if (!link || isOther || document.querySelector(OVER)) return false;
  link.click();
  const opened = new URLSearchParams(link.search).get('open');
  const star = document.querySelector(`.lens.queries [data-star="${CSS.escape(opened ?? '')}"]`);
  star?.closest('tr').scrollIntoView({ block: 'nearest' });
  return true;
};

const press = (event) => {
  if (event.defaultPrevented) return;
  if (stepBeside(event)) {
    event.preventDefault();
    return;
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if ((event.ctrlKey || event.metaKey) && key === 'k' && !event.altKey && !event.shiftKey) {
    const collections = document.querySelector('.st-key-collections button');
    collections?.click();
    if (collections) event.preventDefault();
    return;
  }
  if (event.metaKey || event.ctrlKey || event.altKey || off()) return;
  // A field of a component stands behind its root.
  if (typing(event.composedPath()[0]) || document.querySelector('[role=dialog]')) return;
  const field = FIELDS[key] && performance.now() - begun >= WAIT && document.querySelector(FIELDS[key]);
  if (field) {
    field.focus();
    field.closest('.st-key-side_note')?.scrollIntoView({ block: 'nearest' });
    event.preventDefault();
    return;
  }
  const link = meant(key);
  if (!link) return;
  event.preventDefault();
  link.click();
};

// What is pressed like a button is pressed by the space bar as well.
const pressLikeAButton = (event) => {
  if (event.key !== ' ' || !event.target.matches?.('a[role=button]:is(.lens, .lens *)')) return;
  event.preventDefault();
  event.target.click();
};

// What rail and controls need of the browser beyond Streamlit's own widgets.

const rail = () => document.querySelector('[data-testid=stSidebar]');

// On a narrow screen the rail lies over the page: another page closes it. Kept here, because the
// component is run again for each change.
let shown;

const closeOverThePage = () => {
  const drawer = rail();
  const main = document.querySelector('[data-testid=stMain]');
  if (drawer?.dataset.collapsed !== 'false' || !main) return;
  const covers = drawer.getBoundingClientRect().right > main.getBoundingClientRect().left + 1;
  if (covers) drawer.querySelector('[data-testid=stSidebarCollapseButton] button')?.click();
};

// A name that is shortened is whole when it is pointed at or read aloud.
const tellWhole = (names) => {
  for (const pill of document.querySelectorAll('.st-key-w_also button[data-variant=pills]')) {
    const short = pill.textContent.replace(/^\S\s/u, '');
    if (!names[short]) continue;
    pill.title = names[short];
    pill.setAttribute('aria-label', names[short]);
  }
  for (const field of document.querySelectorAll('.st-key-top input[role=combobox]')) {
    field.title = names[field.value] ?? '';
  }
  for (const entry of document.querySelectorAll('[role=option]')) {
    const whole = names[entry.textContent];
    if (whole) entry.title = whole;
  }
};

// What two chips of the list of queries count.
const COUNTED = {
  fixed: 'failed with the baseline, good now',
  broken: 'good with the baseline, fails now',
};

const tellCounted = () => {
  for (const chip of document.querySelectorAll('.st-key-w_show button')) {
    const says = COUNTED[chip.textContent.trim().split(' ')[0]] ?? '';
    if (chip.title !== says) chip.title = says;
  }
};

// What opens the rail has no name of its own.
const nameTheMenu = () => {
  const opener = document.querySelector('[data-testid=stExpandSidebarButton]');
  if (opener && opener.ariaLabel !== 'Menu') opener.ariaLabel = 'Menu';
};

// Streamlit puts "Add: mrr" above what it finds. It is no addition where it is a measure's name:
// then it says which one it stands for.
const folded = (name) => name.toLowerCase().replace(/[\s_-]/g, '');

const sayWhatIsMeant = () => {
  const entries = [...document.querySelectorAll('[role=listbox][aria-label=Measure] [role=option]')];
  for (const entry of entries) {
    const typed = entry.textContent.match(/^Add: (.*)$/s)?.[1];
    if (typed === undefined) {
      delete entry.dataset.says;
      entry.removeAttribute('aria-label');
      continue;
    }
    const known = entries
      .map((other) => other.textContent.split(' · '))
      .find((names) => names.some((name) => folded(name) === folded(typed)));
    const says = known ? `${typed} = ${known[0]}` : `Use ${typed}`;
    if (entry.dataset.says === says) continue;
    entry.dataset.says = says;
    entry.setAttribute('aria-label', says);
  }
};

// The Tab key enters a row of buttons, of which one is chosen, at the chosen one.
const enterAtTheChosen = ({ target, relatedTarget }) => {
  const row = target.closest?.('[role=radiogroup]');
  if (!row || row.contains(relatedTarget) || !target.matches(':focus-visible')) return;
  row.querySelector('[role=radio][aria-checked=true]')?.focus();
};

// What is shown has an address: it goes to the clipboard, without what lets this browser in. Where the
// page is not served securely the browser has no clipboard to write to, but copies what is selected.
const copied = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true, () => false);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
};

const copy = async (link) => {
  const address = new URL(location.href);
  address.searchParams.delete('token');
  const done = await copied(address.href);
  const said = link.parentElement.querySelector('[role=status]');
  const before = link.textContent;
  link.textContent = done ? 'Copied' : 'Copy it from the address bar';
  said.textContent = link.textContent;
  setTimeout(() => {
    link.textContent = before;
    said.textContent = '';
  }, 1600);
};

// A narrow screen folds the controls.
const open = (folded) => {
  const root = document.documentElement;
  const opens = root.dataset.controls !== 'open';
  root.dataset.controls = opens ? 'open' : '';
  folded.setAttribute('aria-expanded', String(opens));
};

// The bar of Files opens the uploader that stands on the page.
const add = () => document.querySelector('[data-testid=stMain] [data-testid=stFileUploader] button')?.click();

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
    const says = off() ? 'Switch single keys on' : 'Switch single keys off';
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
  const step = { ArrowLeft: 'previous', ArrowRight: 'next', j: 'previous', k: 'next' }[key];
  if (step) return document.querySelector(`.lens.steps-through a.${step}`);
  if (key === 'w') return [...document.querySelectorAll('.st-key-side_what_if .lens a')].at(-1);
  if (key === '?') return document.querySelector('.lens.pages a[data-key=h]');
  return undefined;
};

const press = (event) => {
  if (event.defaultPrevented) return;
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

const click = (event) => {
  const link = event.target.closest?.('a[role=button]:is(.lens, .lens *)');
  if (!link) return;
  const { dataset } = link;
  const act = dataset.copy ? copy : dataset.opens ? open : dataset.adds ? add : dataset.keys ? switchKeys : undefined;
  if (!act) return;
  event.preventDefault();
  act(link);
};

// What is pressed like a button is pressed by the space bar as well.
const pressLikeAButton = (event) => {
  if (event.key !== ' ' || !event.target.matches?.('a[role=button]:is(.lens, .lens *)')) return;
  event.preventDefault();
  event.target.click();
};

let page; // what the component was last run with

const look = () => {
  tellWhole(page.data.names);
  nameTheMenu();
  tellCounted();
  sayWhatIsMeant();
  sayKeys();
};

const start = () => {
  const watch = new MutationObserver(look);
  watch.observe(document.body, { childList: true, subtree: true, characterData: true });
  const listeners = [
    ['focusin', enterAtTheChosen],
    ['keydown', press],
    ['keydown', pressLikeAButton],
    ['click', click],
  ];
  for (const [event, listener] of listeners) document.addEventListener(event, listener);
  return () => {
    watch.disconnect();
    for (const [event, listener] of listeners) document.removeEventListener(event, listener);
  };
};

// It is run for each change of its data, and what it returns only at its end.
let stop;

export default function (given) {
  page = given;
  if (shown !== undefined && shown !== page.data.page) {
    closeOverThePage();
    document.documentElement.dataset.controls = '';
  }
  shown = page.data.page;
  stop ??= start();
  look();
  return () => {
    stop?.();
    stop = undefined;
  };
}

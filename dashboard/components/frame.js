// What rail and controls need of the browser beyond Streamlit's own widgets. Its keys are `keys.js`,
// where the focus goes is `focus.js`, with which it is one module.

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
const GOOD = '; good: at least two thirds of the ideal score';
const COUNTED = { fixed: `good only with the run${GOOD}`, broken: `good only with the baseline${GOOD}` };

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
    const meant = page.data.measures[typed] ?? known?.[0];
    const says = meant ? `${typed} = ${meant}` : `Use ${typed}`;
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
  link.textContent = done ? 'Copied' : 'Copy the link from the address bar';
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

// Streamlit's own button makes a chart as large as the window. It takes that back, as Escape does.
const enlarge = (link) => {
  const chart = link.closest('[class*="st-key-chart_"]');
  chart?.querySelector('.modebar-btn[data-title$="ullscreen"]')?.click();
};

// Plotly takes each touch, so a page could not be scrolled by its charts. A tap still arrives as a
// click; only a lasso is drawn by a finger.
const leaveTouch = (event) => {
  const chart = event.target.closest?.('.js-plotly-plot');
  if (chart && chart._fullLayout?.dragmode !== 'lasso') event.stopPropagation();
};

// A click on curves follows their link, with its place as k, unless a second one follows: then they
// are shown whole again. Plotly tells of each click at once. A click on a query opens it.
const DOUBLE = 400;
const hearClicks = () => {
  for (const chart of document.querySelectorAll('.js-plotly-plot:not([data-heard])')) {
    const { chooses, opens } = chart.layout?.meta ?? {};
    if (!chart.on || !(chooses || opens)) continue;
    chart.dataset.heard = '';
    let waiting;
    const chosen = ({ x, customdata }) => {
      waiting = undefined;
      const link = document.createElement('a');
      link.className = 'lens';
      const { meta } = chart.layout; // as it is by now
      link.href = chooses ? `${meta.chooses}&k=${x}` : meta.opens + encodeURIComponent(customdata[0]);
      document.body.append(link);
      link.click();
      link.remove();
    };
    chart.on('plotly_click', ({ points }) => {
      const first = waiting === undefined;
      clearTimeout(waiting);
      waiting = first ? setTimeout(chosen, opens ? 0 : DOUBLE, points[0]) : undefined;
    });
  }
};
const OPENS = { controls: open, chart: enlarge };

const click = (event) => {
  const link = event.target.closest?.('a[role=button]:is(.lens, .lens *)');
  if (!link) return;
  const { dataset } = link;
  const act = dataset.copy ? copy : dataset.opens ? OPENS[dataset.opens] : dataset.keys ? switchKeys : undefined;
  if (!act) return;
  event.preventDefault();
  act(link);
};

let page; // what the component was last run with

const look = () => {
  tellWhole(page.data.names);
  nameTheMenu();
  tellCounted();
  sayWhatIsMeant();
  hearClicks();
  sayKeys();
  enterPopover();
  enterPage();
};

const start = () => {
  const watch = new MutationObserver(look);
  watch.observe(document.body, {
    childList: true, subtree: true, characterData: true, attributeFilter: ['data-stale'],
  });
  const listeners = [
    ['focusin', enterAtTheChosen],
    ['focusin', moved],
    ['keydown', pressedKey],
    ['pointerdown', pressedPointer],
    ['keydown', press],
    ['keydown', pressLikeAButton],
    ['click', click],
  ];
  for (const [event, listener] of listeners) document.addEventListener(event, listener);
  const early = { capture: true, passive: true };
  document.addEventListener('touchstart', leaveTouch, early);
  return () => {
    watch.disconnect();
    document.removeEventListener('touchstart', leaveTouch, early);
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

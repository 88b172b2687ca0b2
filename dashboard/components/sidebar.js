// What the sidebar needs of the browser beyond Streamlit's controls.

const sidebar = () => document.querySelector('[data-testid=stSidebar]');

// On a narrow screen the sidebar lies over the page: a choice of a page, a run or a measure closes
// it, so that its effect is seen. Kept here, because the component is run again for each change.
let chosen;

const closeOverThePage = () => {
  const drawer = sidebar();
  const page = document.querySelector('[data-testid=stMain]');
  if (drawer?.dataset.collapsed !== 'false' || !page) return;
  const covers = drawer.getBoundingClientRect().right > page.getBoundingClientRect().left + 1;
  if (covers) drawer.querySelector('[data-testid=stSidebarCollapseButton] button')?.click();
};

// A name that is shortened is whole when it is pointed at or read aloud.
const tellWhole = (names) => {
  for (const pill of sidebar()?.querySelectorAll('button[data-variant=pills]') ?? []) {
    const short = pill.textContent.replace(/^\S\s/u, '');
    if (!names[short]) continue;
    pill.title = names[short];
    pill.setAttribute('aria-label', names[short]);
  }
  for (const field of sidebar()?.querySelectorAll('input[role=combobox]') ?? []) {
    field.title = names[field.value] ?? '';
  }
  for (const entry of document.querySelectorAll('[role=option]')) {
    const whole = names[entry.textContent];
    if (whole) entry.title = whole;
  }
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

let page; // what the component was last run with

const look = () => {
  tellWhole(page.data.names);
  sayWhatIsMeant();
};

const start = () => {
  const watch = new MutationObserver(look);
  watch.observe(document.body, { childList: true, subtree: true, characterData: true });
  document.addEventListener('focusin', enterAtTheChosen);
  return () => {
    watch.disconnect();
    document.removeEventListener('focusin', enterAtTheChosen);
  };
};

// It is run for each change of its data, and what it returns only at its end.
let stop;

export default function (given) {
  page = given;
  if (chosen !== undefined && chosen !== page.data.chosen) closeOverThePage();
  chosen = page.data.chosen;
  stop ??= start();
  look();
  return () => {
    stop?.();
    stop = undefined;
  };
}

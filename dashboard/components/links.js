// What the pages need of the browser: links that change the page in place, a history with one entry
// for each action, charts that follow the theme, pictures of charts that can stand alone.

const plain = (event) =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

const scheme = () => {
  const app = document.querySelector('.stApp') ?? document.body;
  return getComputedStyle(app).colorScheme.includes('dark') ? 'dark' : 'light';
};

// A chart on the page is transparent and has its title beside it; a picture of it carries a ground,
// a title, the measure, the runs and the number of queries: `layout.meta` says all this in px.
// Plotly reads the layout while its button is clicked, so the page's own is back at once.
const download = (link) => {
  const chart = link.closest('[class*="st-key-chart_"]')?.querySelector('.js-plotly-plot');
  const options = chart?._context?.toImageButtonOptions;
  const button = chart?.querySelector('.modebar-btn');
  if (!options || !button) return;
  const layout = chart.layout;
  const picture = layout.meta?.picture;
  toPrint = link.dataset.image === 'pdf';
  options.format = toPrint ? 'svg' : link.dataset.image;
  options.scale = link.dataset.image === 'png' ? 2 : 1;
  if (picture) {
    const { pad, top, width, ground, annotations } = picture;
    const { l, r, t, b } = layout.margin;
    options.width = Math.max(width, chart.clientWidth) + 2 * pad;
    options.height = layout.height + top + 2 * pad;
    chart.layout = {
      ...layout,
      autosize: false,
      width: options.width,
      height: options.height,
      paper_bgcolor: ground,
      margin: { ...layout.margin, l: l + pad, r: r + pad, t: t + top + pad, b: b + pad },
      annotations: [...(layout.annotations ?? []), ...annotations],
    };
  }
  try {
    button.click();
  } finally {
    chart.layout = layout;
  }
};

let toPrint = false; // whether the next SVG is for the printer

// A PDF is what the browser prints of the SVG, on a page of its size. Plotly gives pictures away as
// links to be saved, and this one does not get so far.
const printed = async (link) => {
  toPrint = false;
  const text = await (await fetch(link.href)).text();
  const svg = document.importNode(
    new DOMParser().parseFromString(text, 'image/svg+xml').documentElement,
    true,
  );
  const sheet = document.createElement('div');
  const style = document.createElement('style');
  const [width, height] = ['width', 'height'].map((side) => parseFloat(svg.getAttribute(side)));
  sheet.className = 'printed-chart';
  style.textContent = `
    @page { size: ${width}px ${height}px; margin: 0; }
    @media screen { .printed-chart { display: none; } }
    @media print {
      /* As strong as the page's own rule for #root on paper, and later. */
      body > :not(.printed-chart, #root-on-paper) { display: none !important; }
      .printed-chart > svg { display: block; }
    }`;
  sheet.append(style, svg);
  document.body.append(sheet);
  window.addEventListener('afterprint', () => sheet.remove(), { once: true });
  window.print();
};

// The address that a reader copies names collection, run and baseline, also where the page was opened
// without them. It replaces the entry of the history, so that Back leads where it did.
const pin = (address) => {
  if (address !== undefined && address !== window.location.search) {
    window.history.replaceState(window.history.state, '', window.location.pathname + address);
  }
};

// Streamlit adds an entry for the new parameters and another one for the new page. The reader did one
// thing and presses Back once: what follows without a further action replaces the first entry.
const ACTIONS = ['pointerdown', 'keydown', 'click', 'drop'];
let acted = false;
const act = () => { acted = true; };

const onePerAction = () => {
  const { history } = window;
  const push = history.pushState;
  history.pushState = (...entry) => {
    (acted ? push : history.replaceState).apply(history, entry);
    acted = false;
  };
  for (const action of ACTIONS) window.addEventListener(action, act, true);
  return () => {
    history.pushState = push;
    for (const action of ACTIONS) window.removeEventListener(action, act, true);
  };
};

let page; // what the component was last run with

let requestedTheme; // requested of Python, and not answered yet
let tries = 0;
const MOST = 5;

// Python draws the charts, and learns of another theme only when the page is drawn again. A request
// takes along the theme of the moment it leaves at, which is not always the one it was made for where
// several follow one another: an answer in another theme than the page has by then is asked for again,
// a few times, so this cannot go round in circles.
const followTheme = () => {
  const now = scheme();
  // What Streamlit lays over the page stands outside its app, and takes the theme from here.
  document.documentElement.style.colorScheme = now;
  if (now === page.data?.theme) {
    requestedTheme = undefined;
    tries = 0;
  } else if (requestedTheme !== now && tries < MOST) {
    requestedTheme = now;
    tries += 1;
    page.setTriggerValue('theme', now);
  }
};

// The address of a page (else of this one) with some parameters changed; null removes one.
const addressWith = (changes, to = window.location.pathname.split('/').pop()) => {
  const parameters = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) parameters.delete(name);
    else parameters.set(name, value);
  }
  return `./${to}?${parameters}`;
};

// On a wide page a row opens its query beside the list.
const WIDE = 1280;
const OPENED = /[?&]open=/;
const beside = (target) => {
  if (window.innerWidth < WIDE) return target;
  return addressWith({ open: new URLSearchParams(target.split('?')[1]).get('q') }, 'queries');
};

const follow = (event) => {
  if (toPrint && event.target.matches?.('a[download$=".svg"]')) {
    event.preventDefault();
    printed(event.target);
    return;
  }
  const dot = event.target.closest?.('.lens .run > .dot[data-run]');
  if (dot && plain(event)) {
    event.preventDefault();
    page.setTriggerValue('go', addressWith({ naming: dot.dataset.run }));
    return;
  }
  const star = event.target.closest?.('[data-star]');
  if (star) page.setTriggerValue('star', star.dataset.star);
  const link = event.target.closest?.('.lens a, a.lens');
  if (!link || !plain(event)) return;
  let target = link.getAttribute('href') ?? '';
  if (link.closest('.lens.queries tbody') && target.startsWith('./query?')) target = beside(target);
  // Back closes the query beside the list, however many were opened there.
  if (OPENED.test(target) && OPENED.test(window.location.search)) acted = false;
  if (link.dataset.image) {
    event.preventDefault();
    download(link);
  } else if (target.startsWith('./')) {
    event.preventDefault();
    page.setTriggerValue('go', target);
  }
};

// The form of a column of numbers gives its filter line; an empty field is an open end.
const narrow = (event) => {
  const form = event.target.closest('.lens form');
  if (!form) return;
  event.preventDefault();
  const { name, rest } = form.dataset;
  const [from, to] = [...form.querySelectorAll('input')].map((input) => input.value);
  const tests = [rest, from && `${name} >= ${from}`, to && `${name} <= ${to}`];
  const filter = tests.filter(Boolean).join(' and ');
  page.setTriggerValue('go', addressWith({ filter, p: null }, 'queries'));
};

const start = (parent) => {
  // The probe's colour changes with the theme, whoever changes it, and its transition says so.
  const probe = parent.querySelector('.scheme');
  probe.addEventListener('transitionend', followTheme);
  document.addEventListener('click', follow, true);
  document.addEventListener('submit', narrow, true);
  const restorePush = onePerAction();
  return () => {
    restorePush();
    probe.removeEventListener('transitionend', followTheme);
    document.removeEventListener('click', follow, true);
    document.removeEventListener('submit', narrow, true);
  };
};

// It is run for each change of its data, and what it returns only at its end.
let stop;

export default function (given) {
  if (given.data?.heard !== page?.data?.heard) requestedTheme = undefined; // this is the answer
  page = given;
  pin(page.data?.address);
  stop ??= start(page.parentElement);
  followTheme();
  return () => {
    stop?.();
    stop = undefined;
  };
}

// Where the reader stands on a page. The pages scroll inside an element, so the browser itself
// brings nobody back: what was scrolled is noted for each address whenever something is pressed,
// and Back or Forward restores it. A table of ours that is drawn anew keeps what is seen of it.

const WAIT = 8000;
const HOLD = 1200;

const main = () => document.querySelector('[data-testid=stMain]');
const boxes = () => [...document.querySelectorAll('[data-place]')];
const path = () => `ranklens ${location.pathname}`;
const address = () => `${path()}?${location.search}`;

const seen = () => {
  const found = { '': [main()?.scrollLeft ?? 0, main()?.scrollTop ?? 0] };
  for (const box of boxes()) found[box.dataset.place] = [box.scrollLeft, box.scrollTop];
  return JSON.stringify(found);
};

// Streamlit may put an entry of its own between two of ours, whose address nobody has pressed
// anything at: the page as it was last seen stands in for it.
const note = () => {
  const now = seen();
  try {
    sessionStorage.setItem(address(), now);
    sessionStorage.setItem(path(), now);
  } catch {
    // No storage, no way back to the place.
  }
};

const noted = () => {
  const known = sessionStorage.getItem(address()) ?? sessionStorage.getItem(path());
  return known && JSON.parse(known);
};

// The page in the address is the one that is drawn.
const arrived = () => {
  const drawn = document.querySelector('.lens.page-title')?.dataset.page;
  return drawn !== undefined && drawn === (location.pathname.split('/').pop() || 'overview');
};

const put = (element, [left, top]) => {
  if (!element) return false;
  if (Math.abs(element.scrollLeft - left) > 1) element.scrollLeft = left;
  if (Math.abs(element.scrollTop - top) > 1) element.scrollTop = top;
  return Math.abs(element.scrollTop - top) <= 1;
};

let stop = () => {};

// Tries until it is done, time is up or the reader scrolls: charts above may still grow.
const until = (done, time) => {
  stop();
  const end = performance.now() + time;
  const timer = setInterval(() => {
    if (done() || performance.now() > end) stop();
  }, 40);
  stop = () => clearInterval(timer);
};

const restore = () => {
  const wanted = noted();
  if (!wanted) return;
  let since = 0;
  until(() => {
    if (!arrived()) return false;
    const there = boxes().map((box) => put(box, wanted[box.dataset.place] ?? [0, 0]));
    const all = put(main(), wanted['']) && there.every(Boolean);
    since = all ? since || performance.now() : 0;
    return since && performance.now() - since > HOLD;
  }, WAIT);
};

// After a click on a head or a page of a table: the same columns, and the focus where it was.
const keep = (link) => {
  const old = document.querySelector('[data-place]');
  if (!old) return;
  const { scrollLeft: left, scrollTop: top } = old;
  let since = 0;
  until(() => {
    const box = document.querySelector('[data-place]');
    if (!box || box === old) return false;
    // Not the reader's doing: it was drawn after this began to wait.
    if (box.scrollLeft !== left) box.scrollLeft = left;
    if (!since && link.startsWith('star-')) box.scrollTop = top; // the same rows
    if (document.activeElement === document.body)
      document.querySelector(`[data-keep="${link}"]`)?.focus({ preventScroll: true });
    since ||= performance.now();
    return performance.now() - since > HOLD / 2;
  }, WAIT);
};

// A link to another page, or from the list to a query, leads to its top, however far the list was
// scrolled.
const toTheTop = () => {
  const drawn = document.querySelector('.lens.page-title')?.dataset.page;
  let since = 0;
  until(() => {
    if (!arrived() || document.querySelector('.lens.page-title')?.dataset.page === drawn) return false;
    put(main(), [0, 0]);
    since ||= performance.now();
    return performance.now() - since > HOLD;
  }, WAIT);
};

export default function () {
  const pressed = (event) => {
    stop();
    if (event.type === 'click' || event.key === 'Enter') note();
    const leads = event.type === 'click' && event.target.closest?.('.lens a[href^="./"]');
    if (leads && !leads.dataset.keep) toTheTop();
    const link = event.type === 'click' && event.target.closest?.('[data-keep]');
    if (link) keep(link.dataset.keep);
  };
  const acts = ['click', 'keydown', 'wheel', 'touchstart'];
  for (const act of acts) document.addEventListener(act, pressed, { capture: true, passive: true });
  window.addEventListener('popstate', restore);
  return () => {
    for (const act of acts) document.removeEventListener(act, pressed, { capture: true });
    window.removeEventListener('popstate', restore);
  };
}

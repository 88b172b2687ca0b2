// Where the focus goes, for the keyboard and for screen readers: into what opens over the page, back
// to what opened it, and to the heading of another page.

const CONTROLS = ':is(a[href], button, input, textarea):not([disabled], [data-testid*=Tooltip] *)';
const DRAWN = 150; // ms until what opens has its controls

const isLost = () => [null, document.body].includes(document.activeElement);

// What just came may be hidden for a moment, once or twice, and has no focus then.
const focusOn = (element, isWanted, tries = 60) => {
  if (!tries || !element.isConnected || !isWanted()) return;
  if (document.activeElement !== element) element.focus({ preventScroll: true });
  setTimeout(focusOn, 50, element, isWanted, tries - 1);
};

let byKey = false; // whether a key was pressed last, and no pointer
const pressedKey = () => { byKey = true; };
const pressedPointer = () => {
  byKey = false;
  heading = undefined;
};

let popover; // that has been entered, with what opened it
let opener;

const enterPopover = () => {
  const body = document.querySelector('[data-testid=stPopoverBody]');
  if (body === popover) return;
  const closed = popover;
  popover = body ?? undefined;
  if (!body) {
    if (closed && isLost()) opener?.focus({ preventScroll: true });
    return;
  }
  opener = document.querySelector('[data-testid=stPopoverButton][aria-expanded=true]');
  body.tabIndex = -1;
  setTimeout(enter, DRAWN, body);
};

// A field opens the keyboard of a phone: only keys lead into the first control.
const enter = (body, tries = 20) => {
  const isWanted = () => popover === body && !body.contains(document.activeElement);
  if (!isWanted()) return;
  const first = byKey && body.querySelector(CONTROLS);
  if (byKey && !first && tries) setTimeout(enter, 50, body, tries - 1);
  else focusOn(first || body, isWanted);
};

let heading; // of the page that is shown, while it has the focus
let known; // the heading that was drawn last
let drawn; // the page that it is of
let isAwaited = false; // whether another page's heading is

const headingOf = () =>
  [...document.querySelectorAll('[data-testid=stMain] h1')].find((h1) => !h1.closest('[data-stale=true]'));

// Another page's heading takes the focus, unless the reader is in a field by then. One that is drawn
// anew while it has the focus keeps it.
const enterPage = () => {
  const name = document.querySelector('.lens.page-title')?.dataset.page;
  const next = headingOf();
  if (!name || !next) return;
  isAwaited ||= drawn !== undefined && name !== drawn;
  drawn = name;
  const comes = isAwaited && next !== known;
  const again = heading && !heading.isConnected && isLost();
  if (!isAwaited) known = next;
  if (!(comes || again) || document.querySelector('[role=dialog]')) return;
  isAwaited = false;
  known = next;
  if (document.activeElement?.closest('[data-testid=stMain] :is(input, textarea)')) return;
  heading = next;
  heading.tabIndex = -1;
  focusOn(next, () => heading === next && (isLost() || document.activeElement === next));
};

const moved = ({ target }) => {
  if (target !== heading) heading = undefined;
};

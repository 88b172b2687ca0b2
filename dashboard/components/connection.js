// Between the page and its server. Says when nobody answers; lets the browser follow a link that the
// server has not heard of; has the page drawn anew when the server is back, with what the reader
// changed meanwhile; tells the server which uploads were cut off, for it cannot know. Once a page has
// settled it loads the script that draws charts.

const LOOK = 1000;
const PATIENCE = 5000;
const DEAF = 3000;
const LATER = 1000;
const SILENT =
  'Ranklens is not responding. It may have stopped. Start it again, and this page reconnects by itself.';

const app = () => document.querySelector('[data-testid=stApp]');
const connected = () => app()?.dataset.testConnectionState === 'CONNECTED';
const running = () => app()?.dataset.testScriptState === 'running';

// ---- what was asked and is not answered

let socket;
let asked;
let wanted; // the address of the link that was clicked last
let packing; // a file was asked for, which takes what it takes

const heard = (event) => {
  if (event.target === socket) asked = wanted = undefined;
};

// Streamlit keeps its socket to itself. A socket that died silently, as in a sleep, is taken for alive
// until its first message has found no answer; so the messages are looked at where they leave.
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (...message) {
  if (socket !== this) {
    socket = this;
    asked = undefined;
    this.addEventListener('message', heard);
  }
  asked ??= performance.now();
  return send.apply(this, message);
};

const waited = () => (asked === undefined ? 0 : performance.now() - asked);

// Links that links.js hands to the server; here too they end where they lead.
const clicked = (event) => {
  const link = event.target.closest?.(':is(.lens a, a.lens)[href^="./"]:not([data-image])');
  if (link && event.defaultPrevented) wanted = link.href;
  packing = event.target.closest?.('[data-testid=stDownloadButton]');
};

const follow = () => {
  if (!wanted) return false;
  location.assign(wanted);
  wanted = undefined;
  return true;
};

// ---- whether somebody is there

const notice = document.createElement('p');
notice.className = 'lens connection';
notice.setAttribute('role', 'alert');

const say = (text) => {
  // Below the element that says whether the page is light or dark.
  if (!notice.isConnected) app()?.append(notice);
  if (notice.textContent !== text) notice.textContent = text;
};

// Streamlit's own words lie over the page and speak of Streamlit.
const closeStreamlits = () => {
  for (const dialog of document.querySelectorAll('[role=dialog]')) {
    if (dialog.textContent.startsWith('Connection error'))
      dialog.querySelector('[aria-label=Close]')?.click();
  }
};

const isThere = async () => {
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    return (await fetch('./_stcore/health', { cache: 'no-store', signal })).ok;
  } catch {
    return false;
  }
};

// Since when nobody answered anything, and since when somebody did, but not what was asked.
let silentSince;
let deafSince;
let lookedAt = 0;

// What the server has had time to answer, and has not, never reached it.
const goOn = () => {
  if (!connected()) follow();
  if (!connected() || running() || packing || asked === undefined) {
    deafSince = undefined;
    return;
  }
  deafSince ??= performance.now();
  if (performance.now() - deafSince < DEAF) return;
  deafSince = undefined;
  // Streamlit opens another one and goes on in the same session.
  if (!follow()) socket.dispatchEvent(new CloseEvent('close', { code: 1006 }));
};

// A busy server answers this too, so only one that is gone is said to be gone.
const look = async () => {
  const now = performance.now();
  if (now - lookedAt > 3 * LOOK) silentSince = deafSince = undefined; // the computer slept
  lookedAt = now;
  if (connected() && !running() && waited() < LOOK) {
    silentSince = deafSince = undefined;
    say('');
    return;
  }
  silentSince ??= now - waited();
  if (now - silentSince > PATIENCE) say(SILENT);
  closeStreamlits();
  // Several at a time: the browser may try dead connections first.
  if (!(await isThere())) return;
  silentSince = undefined;
  say('');
  goOn();
};

// ---- uploads, and the way back

let page; // what the component was last run with
let there;
let uploading = [];

const chosen = (event) => {
  const files = event.dataTransfer?.files ?? event.target.files ?? [];
  if (!event.target.closest?.('[data-testid=stFileUploader]')) return;
  // Streamlit refuses these before the server hears of them, and forgets to say so once others of
  // the same choice have arrived.
  const large = [...files].filter((file) => file.size > page.data.largest);
  const others = [...files].filter((file) => !large.includes(file)).map((file) => file.name);
  uploading.push(...others);
  if (!large.length) return;
  // Said while Streamlit asks where to send the others, it has been seen to forget them.
  setTimeout(() => back([], false, large.map((file) => file.name)), others.length ? LATER : 0);
};

// Files that failed while the rest of the connection held: named once.
const failed = () => {
  const names = [];
  for (const chip of document.querySelectorAll('[data-testid=stFileChip][aria-invalid=true]')) {
    const name = chip.querySelector('[data-testid=stFileChipName]')?.title ?? '';
    if (!uploading.includes(name)) continue;
    uploading = uploading.filter((other) => other !== name);
    // Others were refused, for their size for example, and say so.
    if (/AxiosError|Connection lost/.test(chip.textContent)) names.push(name);
  }
  return names;
};

const back = (cut, again, large = []) =>
  page.setStateValue('back', { at: Date.now(), drawn: page.data.address, cut, again, large });

// Even where nothing was cut: a server that was started again knows nothing of this page.
const turned = () => {
  if (there === connected()) return;
  there = !there;
  if (!there) asked = undefined;
  else if (!follow()) back(uploading.splice(0), true);
};

// ---- the script that draws charts

// Two seconds of work on a slow machine, for which the first page with a chart would wait.
const SETTLED = 2; // looks
let settled = 0;

const loadCharts = () => {
  settled = there && !running() ? settled + 1 : 0;
  if (settled !== SETTLED || !page.data.charts) return;
  import(new URL(page.data.charts, document.baseURI)).catch(() => {});
};

const tick = () => {
  look();
  loadCharts();
  const names = there ? failed() : [];
  if (names.length) back(names, false);
};

const start = () => {
  there = connected();
  const watch = new MutationObserver(turned);
  watch.observe(document.body, { subtree: true, attributeFilter: ['data-test-connection-state'] });
  const timer = setInterval(tick, LOOK);
  document.addEventListener('click', clicked);
  document.addEventListener('change', chosen, true);
  document.addEventListener('drop', chosen, true);
  return () => {
    watch.disconnect();
    clearInterval(timer);
    document.removeEventListener('click', clicked);
    document.removeEventListener('change', chosen, true);
    document.removeEventListener('drop', chosen, true);
  };
};

// It is run for each change of its data, and what it returns only at its end.
let stop;

export default function (given) {
  if (given.data.uploads !== page?.data.uploads) uploading = [];
  page = given;
  stop ??= start();
  return () => {
    stop?.();
    stop = undefined;
  };
}

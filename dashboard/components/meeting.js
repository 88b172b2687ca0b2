// The meeting over a page: what it shows is `present.js`, with which it is one module. The address
// holds the screen; at the end the page is where it was.
let host;
let meeting;

// The page is drawn anew at the end, which can lose the focus again.
const returnFocus = () => {
  if (document.activeElement === document.body) document.querySelector('.lens.present a')?.focus();
};

const end = () => {
  meeting?.stop();
  host?.remove();
  host = meeting = undefined;
  document.querySelector('#root').inert = false;
  [0, 500, 1500].forEach((wait) => setTimeout(returnFocus, wait));
};

const begin = (html, first, closed) => {
  host = document.createElement('div');
  host.className = 'ranklens-meeting';
  // Above rail, sentence and menus.
  Object.assign(host.style, { position: 'fixed', inset: '0', zIndex: '1000000' });
  host.attachShadow({ mode: 'open' }).innerHTML = html;
  document.body.append(host);
  const slides = host.shadowRoot.querySelector('.slides');
  const keys = [...slides.querySelectorAll('.slide')].map((slide) => slide.dataset.screen);
  let here = Math.max(keys.indexOf(first), 0) + 1;
  meeting = present(slides, () => here, (screen) => {
    if (!screen) return closed();
    here = screen;
    const address = new URL(location.href);
    address.searchParams.set('screen', keys[here - 1]);
    history.replaceState(history.state, '', address);
    meeting.draw();
  });
  document.querySelector('#root').inert = true;
  meeting.draw();
};

export default function ({ data, setTriggerValue }) {
  if (!host) begin(data.html, data.screen, () => { end(); setTriggerValue('end', true); });
  return end;
}

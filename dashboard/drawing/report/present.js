/* The presentation: one finding per screen, in a report and over the pages. `number()` returns
   the current screen from 1, 0 for none; `write` stores another one. */
const present = (slides, number, write) => {
  const screens = [...slides.querySelectorAll('.slide')];
  const dots = slides.querySelector('.dots');
  dots.innerHTML = screens.map(() => '<i></i>').join('');
  let fading = 0;
  const go = (screen) => write(screen && Math.min(Math.max(screen, 1), screens.length));
  const stir = () => {
    slides.classList.remove('quiet');
    clearTimeout(fading);
    fading = setTimeout(() => slides.classList.add('quiet'), 3000);
  };
  const draw = () => {
    const here = number();
    slides.hidden = !here;
    screens.forEach((screen, i) => { screen.hidden = i !== here - 1; });
    [...dots.children].forEach((dot, i) => dot.classList.toggle('here', i === here - 1));
    if (here) stir();
  };
  const STEPS = {
    ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1,
  };
  const fullScreen = () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.();
  };
  const KEYS = { Home: () => go(1), End: () => go(screens.length), Escape: () => go(0), f: fullScreen, F: fullScreen };
  // No key reaches the page below.
  const press = (event) => {
    const here = number();
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();
    if (event.key in STEPS) go(here + STEPS[event.key]);
    else if (event.key in KEYS) KEYS[event.key]();
    else return;
    event.preventDefault();
  };
  addEventListener('keydown', press, true);
  addEventListener('mousemove', stir);
  // A phone has no Escape key: after the last screen comes the page.
  slides.addEventListener('click', () => go(number() < screens.length ? number() + 1 : 0));
  const stop = () => {
    removeEventListener('keydown', press, true);
    removeEventListener('mousemove', stir);
    clearTimeout(fading);
  };
  return { draw, go, stop };
};

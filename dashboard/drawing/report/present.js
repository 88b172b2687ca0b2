/* The presentation: one finding per screen, in a report and over the pages. `number()` returns
   the current screen from 1, 0 for none; `write` stores another one. The layout is made for
   1280 × 720 px and enlarged to the window; phones have their own. */
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
  const fit = () => {
    const small = innerWidth < 700 || innerHeight < 480 || innerWidth < innerHeight;
    slides.classList.toggle('small', small);
    slides.style.zoom = small ? 1 : Math.min(innerWidth / 1280, innerHeight / 720);
  };
  const draw = () => {
    const here = number();
    fit();
    slides.hidden = !here;
    screens.forEach((screen, i) => { screen.hidden = i !== here - 1; });
    [...dots.children].forEach((dot, i) => dot.classList.toggle('here', i === here - 1));
    if (!here) return;
    stir();
    // Read aloud, and scrolled by keys.
    screens[here - 1].focus();
  };
  // On a phone a screen scrolls.
  const ACROSS = { ArrowRight: 1, ArrowLeft: -1 };
  const DOWN = { ArrowDown: 1, PageDown: 1, ' ': 1, ArrowUp: -1, PageUp: -1 };
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
    const step = ACROSS[event.key] ?? (slides.classList.contains('small') ? 0 : DOWN[event.key]);
    if (step) go(here + step);
    else if (event.key in KEYS) KEYS[event.key]();
    else return;
    event.preventDefault();
  };
  addEventListener('keydown', press, true);
  addEventListener('mousemove', stir);
  addEventListener('resize', fit);
  // A phone has buttons, and after the last screen comes the page.
  slides.addEventListener('click', (event) => {
    const step = Number(event.target.dataset.step ?? 1), next = number() + step;
    go(step && next <= screens.length ? Math.max(next, 1) : 0);
  });
  const stop = () => {
    removeEventListener('keydown', press, true);
    removeEventListener('mousemove', stir);
    removeEventListener('resize', fit);
    clearTimeout(fading);
  };
  return { draw, go, stop };
};

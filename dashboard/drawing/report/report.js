/* The report's script besides `present.js`: search, sort and filter queries; mark the current entry of the contents. */
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const FIRST = 20, STEP = 300;
  const finding = document.querySelector('.finding');
  const table = document.querySelector('.every table');
  if (finding && table) {
    const rows = all('tbody tr', table);
    const words = rows.map((row) => row.textContent.toLowerCase());
    const field = finding.querySelector('input');
    const buttons = all('button', finding);
    const said = finding.querySelector('.said');
    const more = document.querySelector('.rows-end button');
    let list = '', limit = FIRST, open = false;
    let order = rows.map((_, i) => i);
    // Thousands of rows are laid out only when scrolled to.
    const show = () => {
      const wanted = field.value.trim().toLowerCase();
      let kept = 0;
      order.forEach((i) => {
        const row = rows[i];
        const inside = !list || row.dataset.in.split(' ').includes(list);
        row.hidden = !(inside && words[i].includes(wanted));
        kept += !row.hidden;
        row.classList.toggle('later', kept > limit);
      });
      more.hidden = open || kept <= FIRST;
      more.textContent = `Show all ${kept.toLocaleString('en')} queries`;
      said.textContent = kept === rows.length ? '' : `${kept.toLocaleString('en')} of ${rows.length.toLocaleString('en')}`;
    };
    const begin = () => { limit = open ? STEP : FIRST; show(); };
    more.addEventListener('click', () => { open = true; begin(); });
    const choose = (button) => {
      list = button.dataset.list;
      buttons.forEach((other) => other.setAttribute('aria-pressed', other === button));
      begin();
    };
    field.addEventListener('input', begin);
    buttons.forEach((button) => button.addEventListener('click', () => choose(button)));
    finding.hidden = false;
    show();
    table.dataset.ready = '';
    new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting) || !open || limit >= rows.length) return;
      limit += STEP;
      show();
    }, { rootMargin: '600px' }).observe(document.querySelector('.rows-end'));
    const follow = () => {
      const button = buttons.find((one) => `#${one.id}` === location.hash);
      if (button) choose(button);
    };
    addEventListener('hashchange', follow);
    follow();
    // Heads sort: numbers by value, texts alphabetically, missing values last.
    const value = (row, at) => {
      const text = row.cells[at].textContent.trim();
      const number = Number(text.replace('−', '-').replace(/,/g, ''));
      return Number.isNaN(number) ? text : number;
    };
    const before = (a, b) => {
      if (typeof a === typeof b) return typeof a === 'number' ? a - b : a.localeCompare(b);
      return typeof a === 'number' ? -1 : 1;
    };
    all('thead th', table).forEach((head, at) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const up = head.getAttribute('aria-sort') !== 'ascending';
        all('thead th', table).forEach((other) => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        const keyed = rows.map((row, i) => [value(row, at), i]);
        keyed.sort((a, b) => (up ? before(a[0], b[0]) : before(b[0], a[0])));
        order = keyed.map(([, i]) => i);
        const bodies = all('tbody', table);
        order.forEach((i, at) => bodies[Math.floor(at / 100)].append(rows[i]));
        begin();
      });
    });
  }
  const download = document.querySelector('.data-here button');
  if (download) {
    // Only on request, and through a file, because browsers cut off long links.
    download.addEventListener('click', () => {
      const text = atob(document.getElementById('collection').textContent);
      const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/zip' }));
      link.download = download.dataset.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    });
    download.hidden = false;
  }
  const links = all('.contents a');
  const parts = links.map((link) => document.querySelector(link.hash));
  const mark = () => {
    const here = parts.findLastIndex((part) => part && part.getBoundingClientRect().top < 160);
    links.forEach((link, i) => {
      if (i === Math.max(here, 0)) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
  // The address contains the number of the screen, so that reload and Back keep it.
  const slides = document.querySelector('.slides');
  if (!slides) return;
  let before = '';
  const number = () => Number((location.hash.match(/^#screen-(\d+)$/) || [])[1] || 0);
  const meeting = present(slides, number, (screen) => {
    if (!number()) before = location.hash;
    location.hash = screen ? `#screen-${screen}` : before || '#verdict';
  });
  all('button.present').forEach((button) => {
    button.hidden = false;
    button.addEventListener('click', () => meeting.go(1));
  });
  const draw = () => {
    const wasOpen = document.documentElement.classList.contains('presenting');
    document.documentElement.classList.toggle('presenting', Boolean(number()));
    meeting.draw();
    if (wasOpen && !number()) document.querySelector('button.present').focus();
  };
  addEventListener('hashchange', draw);
  draw();
})();

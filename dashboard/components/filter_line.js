// The field for words and filters: what can stand next in a filter is offered while it is typed,
// without asking the server; Enter hands the text over. Texts go into the page as text, never as markup.

const fieldIn = (parent) => {
  const box = parent.querySelector('.filter-line');
  const input = box.querySelector('input');
  const list = box.querySelector('ul');
  const state = { found: { options: [] }, active: -1, data: undefined, send: () => {} };

  const close = () => {
    state.active = -1;
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };

  const mark = (place) => {
    state.active = place;
    [...list.children].forEach((entry, i) => entry.setAttribute('aria-selected', i === place));
    const entry = list.children[place];
    if (entry) input.setAttribute('aria-activedescendant', entry.id);
    else input.removeAttribute('aria-activedescendant');
    entry?.scrollIntoView({ block: 'nearest' });
  };

  const tell = () => {
    box.classList.toggle('changed', input.value.trim() !== state.data.line);
    box.classList.toggle('wrong', state.data.wrong && input.value.trim() === state.data.line);
    input.setAttribute('aria-invalid', box.classList.contains('wrong'));
  };

  const take = (place) => {
    const made = completedLine(input.value, state.found, state.found.options[place].written);
    input.value = made.line;
    input.setSelectionRange(made.cursor, made.cursor);
    tell();
    offer();
  };

  const entryOf = (option, place) => {
    const entry = document.createElement('li');
    const word = document.createElement('bdi');
    word.textContent = option.written;
    entry.append(word);
    const rows = option.rows;
    const told = rows ? `${rows.toLocaleString('en')} ${rows === 1 ? 'query' : 'queries'}` : option.told;
    if (told) {
      const small = document.createElement('small');
      small.textContent = told;
      entry.append(' ', small);
    }
    entry.id = `entry-${place}`;
    entry.setAttribute('role', 'option');
    entry.onpointerdown = (event) => event.preventDefault(); // the focus stays in the field
    entry.onclick = () => take(place);
    return entry;
  };

  // Opens what can stand at the cursor. The first entry is what Enter takes only where a word was
  // begun that is none yet: Enter behind a whole line applies it. The first word may be one to search
  // for, so that Enter hands it over.
  const offer = (asked = false) => {
    const { value, selectionStart: cursor, selectionEnd: end } = input;
    state.found = completionsOf(value, cursor, state.data);
    const { options, typed } = state.found;
    const between = !typed && cursor > 0 && !/[\s(,]/u.test(value[cursor - 1]);
    if (!options.length || cursor !== end || (!asked && between)) return close();
    list.replaceChildren(...options.map(entryOf));
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    const whole = options.some((option) => option.written.toLowerCase() === typed.toLowerCase());
    mark(typed && !whole && state.found.start > 0 ? 0 : -1);
    list.scrollTop = 0;
    return undefined;
  };

  const step = (by) => {
    if (list.hidden) return offer(true);
    const count = list.children.length;
    return mark(state.active < 0 && by < 0 ? count - 1 : (state.active + by + count) % count);
  };

  const press = (event) => {
    event.stopPropagation(); // the keys of the page are not meant
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const open = !list.hidden;
    const begun = open && (state.active >= 0 || state.found.typed);
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp' && open) step(-1);
    else if (event.key === 'Escape' && open) close();
    else if (event.key === 'Enter' && open && state.active >= 0) take(state.active);
    else if (event.key === 'Tab' && !event.shiftKey && begun) take(Math.max(state.active, 0));
    else if (event.key === 'Enter') {
      close();
      state.send(input.value.trim());
    } else return;
    event.preventDefault();
  };

  input.addEventListener('keydown', press);
  input.addEventListener('input', () => {
    tell();
    offer();
  });
  input.addEventListener('click', () => offer());
  input.addEventListener('blur', close);
  return { input, state, tell };
};

const fields = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector('.filter-line');
  if (!fields.has(box)) fields.set(box, fieldIn(parentElement));
  const { input, state, tell } = fields.get(box);
  // What is being typed stays, unless the address says another line than before.
  if (state.data?.line !== data.line) input.value = data.line;
  input.placeholder = matchMedia('(max-width: 640px)').matches ? data.placeholder.split(':')[0] : data.placeholder;
  state.data = data;
  state.send = (line) => setTriggerValue('line', line);
  tell();
}

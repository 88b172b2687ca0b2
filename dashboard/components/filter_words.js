// What can complete a filter line at a place: the words before it are told apart as the parser
// tells them apart, and `known.follows` says what can come after them. Nothing is evaluated.

const CLOSING = { '"': '"', "'": "'", '\u201c': '\u201d', '`': '`' };
const KINDS = [
  ['blank', /\s+/uy],
  ['quoted', /`(?:[^`]|``)*`(?!`)|"(?:[^"]|"")*"(?!")|'(?:[^']|'')*'(?!')|\u201c(?:[^\u201d]|\u201d\u201d)*\u201d(?!\u201d)/uy],
  ['mark', /[(),]/uy],
  ['number', /[+\u2212-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\p{L}\p{N}_.])/uy],
  ['operator', /==|!=|<=|>=|<>|[<>=\u2260\u2264\u2265]/uy],
  ['name', /[\p{L}_][\p{L}\p{N}_.@:/+-]*/uy],
];
const KEYWORD = /^(?:and|or|not|in|contains)$/i;

// The words of a text with their places; the last one is `open` where its quote is not closed.
// Nothing where the text holds what no line can.
const wordsOf = (text) => {
  const words = [];
  let place = 0;
  while (place < text.length) {
    let found;
    for (const [kind, form] of KINDS) {
      form.lastIndex = place;
      const written = form.exec(text)?.[0];
      if (written) {
        found = { kind, written, start: place };
        break;
      }
    }
    if (!found) {
      if (!CLOSING[text[place]]) return undefined;
      return [...words, { kind: 'open', written: text.slice(place), start: place }];
    }
    if (found.kind === 'quoted') {
      const mark = CLOSING[found.written[0]];
      found.kind = mark === '`' ? 'name' : 'text';
      found.name = found.written.slice(1, -1).replaceAll(mark + mark, mark);
    } else if (found.kind === 'mark' || KEYWORD.test(found.written)) {
      found.kind = found.written.toLowerCase();
    }
    if (found.kind !== 'blank') words.push({ name: found.written, ...found });
    place += found.written.length;
  }
  return words;
};

const columnOf = (name, known) => {
  const alike = known.columns.filter((c) => c.name.toLowerCase() === name.toLowerCase());
  return known.columns.find((c) => c.name === name) ?? (alike.length === 1 ? alike[0] : undefined);
};

// What is awaited behind these words: about which column, within how many parentheses.
const awaitedAfter = (words, known) => {
  let state = 'test';
  let column;
  let depth = 0;
  for (const word of words) {
    const next = known.follows[state][word.kind];
    if (!next) return undefined;
    if (word.kind === 'name') {
      const named = columnOf(word.name, known);
      if (!named || (state === 'value' && named.holds !== column.holds)) return undefined;
      if (state === 'test') column = named;
    }
    if (['number', 'text'].includes(word.kind) && column.holds !== `${word.kind}s`) return undefined;
    if (word.kind === 'contains' && column.holds !== 'texts') return undefined;
    if (state === 'test' && word.kind === '(') depth += 1;
    if (state === 'joining' && word.kind === ')' && (depth -= 1) < 0) return undefined;
    state = next;
  }
  return { state, column, depth };
};

const COMPLETED = ['name', 'number', 'text', 'operator'];

const awaitedOptions = ({ state, column, depth }, known) => {
  const columns = known.columns.map((c) => ({ written: c.written, told: c.holds }));
  if (state === 'test') return columns;
  const operators = known.offered[column.holds][state];
  if (operators) return operators.map((written) => ({ written, told: '' }));
  const values = column.values.map(([written, rows]) => ({ written, rows }));
  if (state === 'value') {
    return [...values, ...columns.filter((c) => c.told === column.holds && c.written !== column.written)];
  }
  if (state === 'part' || state === 'listed') return values;
  const marks = Object.keys(known.follows[state]).filter((mark) => !COMPLETED.includes(mark));
  const closes = state !== 'joining' || depth > 0;
  return marks.filter((m) => m !== ')' || closes).map((written) => ({ written, told: '' }));
};

const bare = (text) => text.toLowerCase().replace(/^[`"'\u201c]/u, '');

// What can stand at a place of a line: `options` for what stands from `start` to `end`, which is
// what was `typed` of a word, or nothing.
const completionsOf = (line, cursor, known) => {
  const words = wordsOf(line.slice(0, cursor));
  const last = words?.at(-1);
  if (!words) return { start: cursor, end: cursor, typed: '', options: [] };
  const begun = last && last.start + last.written.length === cursor && !['(', ')', ',', 'operator', 'text'].includes(last.kind);
  for (const before of begun ? [words.slice(0, -1), words] : [words]) {
    const awaited = awaitedAfter(before, known);
    const typed = before === words ? '' : last.written;
    if (!awaited) continue;
    const every = awaitedOptions(awaited, known);
    const begins = every.filter((o) => bare(o.written).startsWith(bare(typed)));
    const holds = every.filter((o) => !begins.includes(o) && bare(o.written).includes(bare(typed)));
    const options = typed ? [...begins, ...(bare(typed).length > 1 ? holds : [])] : every;
    if (options.length) return { start: cursor - typed.length, end: cursor, typed, options };
  }
  return { start: cursor, end: cursor, typed: '', options: [] };
};

// The line with one of them taken, and the place behind it.
const completedLine = (line, { start, end }, written) => {
  const gap = start === 0 || ' ('.includes(line[start - 1]) ? '' : ' ';
  const before = `${line.slice(0, start)}${gap}${written} `;
  return { line: before + line.slice(end).trimStart(), cursor: before.length };
};

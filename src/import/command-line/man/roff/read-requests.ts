/** A line of a manual page's source: text, or a macro with its arguments. */
export type RoffLine =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'macro'; readonly name: string; readonly rest: string; readonly args: readonly string[] };

/** The source of a page, with its own macros expanded and its conditions evaluated. */
export interface RoffSource {
  readonly lines: readonly RoffLine[];
  readonly strings: ReadonlyMap<string, string>;
}

/** Ends macros that call themselves. */
const MAX_DEPTH = 6;
const MAX_LINES = 200_000;

/** Reads roff as a terminal would show it. Layout requests stay as macros, which readers skip. */
export function readRequests(source: string): RoffSource {
  const reader = new RequestReader();
  for (const line of source.replaceAll('\r\n', '\n').replaceAll(/\\\n/g, '').split('\n')) reader.take(line, 0);
  return reader;
}

class RequestReader implements RoffSource {
  readonly lines: RoffLine[] = [];
  readonly strings = new Map<string, string>();
  readonly #macros = new Map<string, readonly string[]>();
  /** Results of each `.ie` that waits for its `.el`, innermost last. */
  readonly #decided: boolean[] = [];
  /** The macro being defined, or a skipped passage, and the line that ends it. */
  #capture: { readonly name: string | undefined; readonly end: string; readonly body: string[] } | undefined;
  /** Open braces of a branch that is not taken. */
  #skipped = 0;

  take(line: string, depth: number): void {
    if (depth > MAX_DEPTH || this.lines.length > MAX_LINES) return;
    if (this.#capture !== undefined) return this.#collect(this.#capture, line);
    if (this.#skipped > 0) {
      this.#skipped += braces(line);
      return;
    }
    const control = /^[.']\s*([^\s\\]+)?\s*(.*)$/s.exec(line);
    if (control === null) {
      this.lines.push({ type: 'text', text: line.replace(/\\\}$/, '') });
      return;
    }
    const [, name = '', rest = ''] = control;
    if (name !== '') this.#request(name, rest.replace(/\s*(?<!\\)\\".*$/s, ''), depth);
  }

  #request(name: string, rest: string, depth: number): void {
    switch (name) {
      case 'if':
      case 'ie': {
        const isTrue = this.#branch(rest, depth);
        if (name === 'ie') this.#decided.push(isTrue);
        return;
      }
      case 'el': {
        const wasTrue = this.#decided.pop() ?? true;
        this.#body(rest, !wasTrue, depth);
        return;
      }
      case 'de':
      case 'de1':
      case 'am': {
        const [macro, end = '.'] = splitArguments(rest);
        this.#capture = { name: macro, end: `.${end}`, body: [] };
        return;
      }
      case 'ig':
        this.#capture = { name: undefined, end: `.${splitArguments(rest)[0] ?? '.'}`, body: [] };
        return;
      case 'TS':
        this.#capture = { name: undefined, end: '.TE', body: [] };
        return;
      case 'ds':
      case 'ds1': {
        const [, key = '', value = ''] = /^(\S+)\s*"?(.*)$/s.exec(rest) ?? [];
        this.strings.set(key, value);
        return;
      }
      default:
        this.#call(name, rest, depth);
    }
  }

  #call(name: string, rest: string, depth: number): void {
    const args = splitArguments(rest.replace(/\s*\\\}$/, ''));
    const macro = this.#macros.get(name);
    if (macro === undefined) {
      this.lines.push({ type: 'macro', name, rest, args });
      return;
    }
    for (const line of macro) {
      this.take(
        line.replaceAll(/\\\$(\d|\*|@)/g, (_, which: string) =>
          /\d/.test(which) ? (args[Number(which) - 1] ?? '') : args.join(' '),
        ),
        depth + 1,
      );
    }
  }

  #collect(
    capture: { readonly name: string | undefined; readonly end: string; readonly body: string[] },
    line: string,
  ): void {
    if (line.trimEnd().replace(/^[.']\s*/, '.') !== capture.end) {
      capture.body.push(line.replaceAll('\\\\', '\\'));
      return;
    }
    this.#capture = undefined;
    if (capture.name !== undefined) this.#macros.set(capture.name, capture.body);
  }

  #branch(rest: string, depth: number): boolean {
    const match = /^(!?)\s*('[^']*'[^']*'|(?:(?!\\\{)\S)+)\s*(.*)$/s.exec(rest);
    const isTrue = match !== null && holds(match[2] ?? '') !== (match[1] === '!');
    this.#body(match?.[3] ?? '', isTrue, depth);
    return isTrue;
  }

  /** Reads one line, or everything up to the closing brace. */
  #body(rest: string, isTaken: boolean, depth: number): void {
    const isBlock = rest.startsWith(String.raw`\{`);
    if (!isTaken) {
      if (isBlock) this.#skipped = Math.max(0, braces(rest));
      return;
    }
    const inner = isBlock ? rest.slice(2).replace(/^\\$/, '').trimStart() : rest;
    if (inner !== '') this.take(inner, depth + 1);
  }
}

function braces(line: string): number {
  return (line.match(/\\\{/g)?.length ?? 0) - (line.match(/\\\}/g)?.length ?? 0);
}

/** True when a condition holds on a terminal. Conditions on registers do not, except that this is a modern roff. */
function holds(condition: string): boolean {
  if (condition === 'n' || condition === 'o' || /^\\n(?:\(\.g|\[\.g\])$/.test(condition)) return true;
  const texts = /^'([^']*)'([^']*)'$/.exec(condition);
  if (texts !== null) return texts[1] === texts[2];
  return /^\d+$/.test(condition) && Number(condition) > 0;
}

/** Characters that roff names by two letters or in brackets, as far as manual pages use them. */
const NAMED: Readonly<Record<string, string>> = {
  ...toTable(String.raw`
    aq '  dq "  lq “  rq ”  oq ‘  cq ’  Bq „  bq ‚  Fo «  Fc »  fo ‹  fc ›  em —  en –  hy -  mi -  bu •
    ci ○  sq □  co ©  rg ®  tm ™  de °  mu ×  di ÷  -> →  <- ←  <= ≤  >= ≥  != ≠  +- ±  aa ´  ha ^  ti ~
    at @  sh #  Do $  rs \  sl /  ba |  bv |  br |  lB [  rB ]  lC {  rC }  la <  ra >  ul _  rn ‾  ss ß
    ae æ  oe œ  *W -  q "  Le ≤  Ge ≥  Lt <  Gt >  Pm ±  If ∞  Na NaN  Ba |  Am &  Tm ™
  `),
  ga: '`',
};

/** Parses a text of names, each followed by its meaning. */
export function toTable(text: string): Readonly<Record<string, string>> {
  const words = text.trim().split(/\s+/);
  return Object.fromEntries(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? '']] : [])));
}

/** Strings that a page defines with `.ds`. */
export type RoffStrings = ReadonlyMap<string, string>;

/** Returns the plain text of a line of roff: without fonts and spacing, with named characters replaced. */
export function toPlainText(line: string, strings: RoffStrings = new Map(), depth = 0): string {
  let text = '';
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character !== '\\') {
      text += character;
      continue;
    }
    const { value, end } = readEscape(line, at + 1);
    at = end - 1;
    if (value.type === 'comment') return text;
    if (value.type === 'text') text += value.text;
    // A string can contain escapes, and a faulty page has strings that name themselves.
    else if (depth < 4) text += toPlainText(strings.get(value.name) ?? '', strings, depth + 1);
  }
  return text;
}

type Escape =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'string'; readonly name: string }
  | { readonly type: 'comment' };

/** Escapes for fonts, colors and registers, followed by a name. */
const NAMING = 'fFngkmMY';
/** Escapes for motions and drawings, followed by a text in quotes. */
const QUOTING = 'hvwlLDboxXZABRSH';
const SIZE = /^(?:[+-]?(?:\(\d\d|\[[^\]]*\]|'[^']*'|\d)|\([+-]?\d\d)/;

/** Reads an escape after a backslash. */
function readEscape(line: string, at: number): { readonly value: Escape; readonly end: number } {
  const letter = line.charAt(at);
  const text = (value: string, end = at + 1): { value: Escape; end: number } => ({
    value: { type: 'text', text: value },
    end,
  });
  if (letter === '') return text('');
  if ("-.\\'`".includes(letter)) return text(letter);
  if ('eE'.includes(letter)) return text('\\');
  if (' ~0'.includes(letter)) return text(' ');
  if (letter === 't') return text('\t');
  if (letter === '"' || letter === '#') return { value: { type: 'comment' }, end: line.length };
  if (letter === '(' || letter === '[') {
    const { name, end } = readName(line, at);
    return text(namedCharacter(name), end);
  }
  if (letter === '*') {
    const { name, end } = readName(line, at + 1);
    return { value: { type: 'string', name }, end };
  }
  if (letter === 's') return text('', at + 1 + (SIZE.exec(line.slice(at + 1))?.[0].length ?? 0));
  if (letter === 'N') {
    const { name, end } = readQuoted(line, at + 1);
    const code = Number(name);
    return text(Number.isInteger(code) && code > 0 && code < 0x11_00_00 ? String.fromCodePoint(code) : '', end);
  }
  if (NAMING.includes(letter)) return text('', readName(line, at + 1).end);
  if (QUOTING.includes(letter)) return text('', readQuoted(line, at + 1).end);
  // `\&`, `\|`, `\^`, `\/`, `\,`, `\:`, `\%`, `\c`, `\u`, `\d` and others produce no text.
  return text('');
}

/** Reads a name: one character, `(xx`, or `[name]`. */
function readName(line: string, at: number): { readonly name: string; readonly end: number } {
  if (line[at] === '(') return { name: line.slice(at + 1, at + 3), end: at + 3 };
  if (line[at] !== '[') return { name: line.charAt(at), end: at + 1 };
  const close = line.indexOf(']', at);
  return close === -1 ? { name: '', end: line.length } : { name: line.slice(at + 1, close), end: close + 1 };
}

/** Reads the text between two equal characters, mostly `'`. */
function readQuoted(line: string, at: number): { readonly name: string; readonly end: number } {
  const close = line.indexOf(line.charAt(at), at + 1);
  return close === -1 ? { name: '', end: line.length } : { name: line.slice(at + 1, close), end: close + 1 };
}

function namedCharacter(name: string): string {
  const known = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  if (known !== undefined) return known;
  const unicode = /^u([0-9A-F]{4,6})$/.exec(name)?.[1];
  if (unicode !== undefined && Number.parseInt(unicode, 16) < 0x11_00_00)
    return String.fromCodePoint(Number.parseInt(unicode, 16));
  const accent = /^(['`^:~,])([A-Za-z])$/.exec(name);
  if (accent === null) return '';
  const mark = '\u0301\u0300\u0302\u0308\u0303\u0327'.charAt("'`^:~,".indexOf(accent[1] ?? ''));
  return `${accent[2] ?? ''}${mark}`.normalize('NFC');
}

/** Splits the arguments of a macro: words, or texts in double quotes in which `""` is one quote. */
export function splitArguments(rest: string): string[] {
  const found: string[] = [];
  const pattern = /\s*(?:"((?:[^"]|"")*)"?|((?:\\.|[^\s\\])+))/gy;
  for (let match = pattern.exec(rest); match !== null; match = pattern.exec(rest)) {
    found.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
  }
  return found;
}

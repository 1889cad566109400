/** A part of a usage line. */
export type UsageNode =
  | { readonly type: 'word'; readonly text: string; readonly isRepeated: boolean }
  | { readonly type: 'option'; readonly spec: string; readonly isRepeated: boolean }
  | { readonly type: 'dashes' }
  | {
      readonly type: 'group';
      readonly isOptional: boolean;
      readonly isRepeated: boolean;
      /** One sequence, or several alternatives. */
      readonly alternatives: readonly (readonly UsageNode[])[];
    };

const MAX_DEPTH = 12;
const DOTS = /(?:\s*(?:\.\.\.|…))+$/;

/** True when an option is known to take a value. */
export type TakesValue = (flag: string) => boolean;

/** Parses a usage line after the command's own words: `[OPTIONS] IMAGE [COMMAND] [ARG...]`. */
export function parseUsageTree(usage: string, takesValue: TakesValue): UsageNode[] {
  return new TreeReading(takesValue).toNodes(joinAlternatives(splitChunks(usage)), 0);
}

/** Creates nodes from chunks. */
class TreeReading {
  readonly #takesValue: TakesValue;

  constructor(takesValue: TakesValue) {
    this.#takesValue = takesValue;
  }

  toNodes(chunks: readonly string[], depth: number): UsageNode[] {
    const nodes: UsageNode[] = [];
    for (let at = 0; at < chunks.length; at++) {
      const chunk = chunks[at] ?? '';
      const next = chunks[at + 1];
      const flags = next === undefined || isFlag(next) || next.startsWith('[') ? undefined : flagsOf(chunk);
      const isValue = depth > 0 || flags?.some((flag) => this.#takesValue(flag)) === true;
      if (chunk === '--') nodes.push({ type: 'dashes' });
      else if (flags !== undefined && isValue) {
        // `(-m | --message) <text>`: the value belongs to each.
        const alternatives = flags.map((flag) => [toOption(`${flag} ${next}`)]);
        nodes.push({ type: 'group', isOptional: chunk.startsWith('['), isRepeated: false, alternatives });
        at++;
      } else if (next !== undefined && this.#takesNext(chunk, next, depth)) {
        const more = depth === 0 ? [] : takeWhile(chunks.slice(at + 2), isFurtherValue);
        nodes.push(toOption([chunk, next, ...more].join(' ')));
        at += 1 + more.length;
      } else nodes.push(this.#toNode(chunk, depth));
    }
    return nodes;
  }

  /**
   * Inside brackets a flag is followed by its value, `[-c CONTAINER]`; outside, only a short one is, `-f FILENAME`, or one known
   * to take a value.
   */
  #takesNext(chunk: string, next: string, depth: number): boolean {
    if (!isFlag(chunk) || isFlag(next) || next === '--' || chunk.includes('=')) return false;
    // `[-D [bind:]port]`: brackets around a part of the value.
    if (depth > 0) return !next.startsWith('[') || unwrap(next) === undefined;
    return (/^-\w$/.test(chunk) && /^(?:<|[A-Z]+$)/.test(next)) || (this.#takesValue(chunk) && !next.startsWith('['));
  }

  #toNode(chunk: string, depth: number): UsageNode {
    if (isFlag(chunk)) return toOption(chunk);
    const isRepeated = DOTS.test(chunk);
    const text = chunk.replace(DOTS, '');
    const inner = depth < MAX_DEPTH ? unwrap(text)?.replaceAll(/(?<![\w-])(-\w)\|(?=--\w)/g, '$1,') : undefined;
    if (inner === undefined || isListOfValues(text)) return { type: 'word', text, isRepeated };
    const isOptional = text.startsWith('[');
    const option = readValuedOption(inner);
    if (option !== undefined) {
      const alternatives = [[{ type: 'option' as const, spec: option, isRepeated }]];
      return { type: 'group', isOptional, isRepeated: false, alternatives };
    }
    const dotted = DOTS.test(inner);
    const alternatives = splitAlternatives(inner.replace(DOTS, '')).map((part) =>
      this.toNodes(joinAlternatives(splitChunks(part)), depth + 1),
    );
    return { type: 'group', isOptional, isRepeated: isRepeated || dotted, alternatives };
  }
}

/** `[--point X Y]`, `[--names NAME [NAME ...]]`: all words after an option in brackets are its values. */
function isFurtherValue(chunk: string): boolean {
  return !/^\[*-/.test(chunk);
}

function takeWhile<T>(items: readonly T[], test: (item: T) => boolean): readonly T[] {
  const end = items.findIndex((item) => !test(item));
  return end === -1 ? items : items.slice(0, end);
}

function isFlag(chunk: string): boolean {
  return /^-{1,2}[A-Za-z0-9[]/.test(chunk);
}

/** Returns the flags of a group that contains nothing else: `(-c | -C | --squash)`. */
function flagsOf(chunk: string): string[] | undefined {
  const parts = splitAlternatives(chunk.startsWith('(') ? (unwrap(chunk) ?? '') : '');
  return parts.length > 1 && parts.every((part) => /^-{1,2}[\w-]+$/.test(part)) ? parts : undefined;
}

function toOption(text: string): UsageNode {
  return { type: 'option', spec: text.replace(DOTS, ''), isRepeated: DOTS.test(text) };
}

/** `--dry-run=server|client`, `(-o|--output=)json|yaml`: an option with its values; `undefined` for other groups. */
function readValuedOption(inner: string): string | undefined {
  const long = /^((?:-\w, ?)?-{1,2}[\w-]+)=([\w.-]+(?:\|[\w.-]+)+)$/.exec(inner);
  if (long !== null) return `${long[1]}=<${long[2]}>`;
  // oclif: `--mode fast|slow`; openssl: `-inform DER|PEM`.
  const apart = /^((?:-\w, ?)?--[\w-]+|-\w{2,}) ([A-Za-z0-9][\w.-]*(?:\|[A-Za-z0-9][\w.-]*)+)$/.exec(inner);
  if (apart !== null) return `${apart[1]} <${apart[2]}>`;
  const both = /^\((-\w)[|,](--[\w-]+)=\)(\S+)$/.exec(inner);
  return both === null ? undefined : `${both[1]}, ${both[2]}=<${both[3]?.replaceAll('=...', '')}>`;
}

/** `{a,b}`: values rather than a group. */
function isListOfValues(text: string): boolean {
  return /^\{[^\s<>[\]]*[,|][^\s<>[\]]*\}$/.test(text);
}

/** Returns the text between brackets that enclose a whole chunk; `undefined` for other chunks. */
function unwrap(text: string): string | undefined {
  if (!/^[[({]/.test(text)) return undefined;
  const depths = depthsOf(text);
  // Closed before the end: `[HOST/]OWNER/REPO` is a word.
  const end = depths.indexOf(0);
  return end !== -1 && end === text.length - 1 ? text.slice(1, -1).trim() : undefined;
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '<': '>', '{': '}', '(': ')' };

/** Returns the bracket depth after each character. An unmatched closing bracket does not count: some pages have one. */
function depthsOf(text: string): number[] {
  const open: string[] = [];
  return text.split('').map((character) => {
    const close = CLOSING[character];
    if (close !== undefined) open.push(close);
    else if (open.at(-1) === character) open.pop();
    return open.length;
  });
}

/** Splits at spaces outside of brackets; dots after a space belong to the preceding chunk. */
function splitChunks(usage: string): string[] {
  const chunks: string[] = [];
  const text = `${usage} `;
  const depths = depthsOf(text);
  let current = '';
  for (const [at, character] of text.split('').entries()) {
    if ((depths[at] ?? 0) > 0 || !/\s/.test(character)) {
      current += character;
      continue;
    }
    if (/^(?:\.\.\.|…)$/.test(current) && chunks.length > 0) chunks.push(`${chunks.pop()}...`);
    else if (current !== '') chunks.push(current);
    current = '';
  }
  return current.trim() === '' ? chunks : [...chunks, current.trim()];
}

/** Outside of brackets, `|` joins the words beside it: `PATH | URL | -` is one word. */
function joinAlternatives(chunks: readonly string[]): string[] {
  const joined: string[] = [];
  for (const chunk of chunks) {
    if (joined.length > 0 && (chunk.startsWith('|') || joined.at(-1)?.endsWith('|') === true)) {
      joined.push(`${joined.pop()}${chunk}`);
    } else joined.push(chunk);
  }
  return joined;
}

/** Splits at `|` outside of nested brackets. */
function splitAlternatives(inner: string): string[] {
  const parts: string[] = [];
  const depths = depthsOf(inner);
  let current = '';
  for (const [at, character] of inner.split('').entries()) {
    if (depths[at] === 0 && character === '|') {
      parts.push(current);
      current = '';
    } else current += character;
  }
  return [...parts, current].map((part) => part.trim()).filter((part) => part !== '');
}

import { splitArguments } from './roff-text.ts';

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

import { type Token, tokenizer, tokTypes } from 'acorn';
import { ToolError } from '../../../../tool/tool-error.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import {
  cutServers,
  type FileFormat,
  insertPart,
  type Layout,
  type NamedServer,
  type Part,
  trimToParts,
} from './server-file.ts';

/** JSON as editors write it: with comments and trailing commas. */
export const JSONC_FORMAT: FileFormat = {
  parse: parseJsonc,
  layout,
  format: (text, section, server) => formatMember(text, layout(text, section), server),
  create(text, section, { name, value }) {
    const above = section.slice(0, -1);
    const member = { name: section.at(-1) ?? '', value: { [name]: value } };
    if (text.trim() === '') return `${JSON.stringify(nest(section, { [name]: value }), undefined, 2)}\n`;
    const found = layout(text, above);
    if (found === undefined) return JSONC_FORMAT.create(text, above, member);
    if (found.parts.some(({ key }) => key === member.name)) {
      throw new ToolError({ code: 'execution_failed', message: `has no object "${section.join('.')}"` });
    }
    const part = { text: formatMember(text, found, member), after: found.parts.at(-1)?.key };
    return insertPart(text, found, { ...part, gap: '', lead: found.gap, tail: '' });
  },
  without(text, _, names) {
    // In braces of its own the text is an object.
    const whole = `{${text}\n}`;
    const found = layout(whole, []);
    const rest = found === undefined ? whole : cutServers(whole, found, names);
    return trimToParts(rest, layout(rest, []));
  },
};

/** Strings, comments and trailing commas. Comments end where they first can, so that no bracket in one counts. */
const TOKEN =
  /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*[}\]])/g;

/** Parses JSON as editors write it: with comments and trailing commas. */
function parseJsonc(text: string): unknown {
  const plain = text.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(plain);
  } catch {
    const stripped = plain.replaceAll(TOKEN, (part) => (part.startsWith('"') ? part : ' '));
    return stripped.trim() === '' ? {} : JSON.parse(stripped);
  }
}

function layout(text: string, section: readonly string[]): Layout | undefined {
  const found = findObject(text, section);
  if (found === undefined) return undefined;
  const { open, close, members: parts } = found;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const first = parts[0]?.start ?? close;
  const lead = text.slice(open, first);
  const closing = eol + indentAt(text, open);
  const isOneLine = parts.length > 0 && !lead.includes('\n');
  const gap = parts.length > 0 ? eol + indentAt(text, first) : closing + unitOf(text);
  return { parts, open, close, hasCommas: true, gap: isOneLine ? (/^[ \t]*/.exec(lead)?.[0] ?? '') : gap, closing };
}

function formatMember(text: string, found: Layout | undefined, { name, value }: NamedServer): string {
  const isOneLine = found?.gap.includes('\n') === false;
  const written = JSON.stringify(value, undefined, isOneLine ? undefined : unitOf(text));
  return `${JSON.stringify(name)}: ${written.replaceAll('\n', found?.gap ?? '\n')}`;
}

interface ObjectPlace {
  /** The position behind the brace. */
  readonly open: number;
  /** The position of the closing brace. */
  readonly close: number;
  readonly members: readonly Part[];
}

/** Finds the members of the object under a path of keys. Of keys that occur twice the last counts, as in JSON. */
function findObject(text: string, path: readonly string[]): ObjectPlace | undefined {
  const tokens = tokenizer(text, { ecmaVersion: 'latest' });
  let token = tokens.getToken();
  const advance = (): Token => {
    const before = token;
    token = tokens.getToken();
    return before;
  };
  const readObject = (keys: readonly string[]): ObjectPlace | undefined => {
    const [wanted, ...below] = keys;
    const open = advance().end;
    const members: Part[] = [];
    let inner: ObjectPlace | undefined;
    while (token.type !== tokTypes.braceR) {
      const key = advance();
      advance();
      const name = String(JSON.parse(text.slice(key.start, key.end)));
      const isWanted = name === wanted;
      const isObject = token.type === tokTypes.braceL;
      if (isWanted) inner = isObject ? readObject(below) : undefined;
      const end = isWanted && isObject ? advance().end : skipValue();
      const behind = token.type === tokTypes.comma ? advance().end : end;
      members.push({ key: name, server: name, start: key.start, end, behind, isReplaceable: true });
    }
    return wanted === undefined ? { open, close: token.start, members } : inner;
  };
  /** Skips a value of any depth without recursion, and returns its end. */
  const skipValue = (): number => {
    for (let depth = 0; ;) {
      const { type, end } = advance();
      if (type === tokTypes.braceL || type === tokTypes.bracketL) depth += 1;
      else if (type === tokTypes.braceR || type === tokTypes.bracketR) depth -= 1;
      // The sign of a number is a token of its own.
      else if (type === tokTypes.plusMin) continue;
      if (depth === 0 || type === tokTypes.eof) return end;
    }
  };
  return token.type === tokTypes.braceL ? readObject(path) : undefined;
}

/** Returns the whitespace at the start of the line of a position. */
function indentAt(text: string, position: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', position - 1) + 1, position))?.[0] ?? '';
}

/** Returns the whitespace of one level. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

function nest([key, ...below]: readonly string[], value: unknown): unknown {
  return key === undefined ? value : { [key]: nest(below, value) };
}

/** Returns the value under a path of keys. */
export function valueUnder(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isPlainObject(value) ? value[key] : undefined), data);
}

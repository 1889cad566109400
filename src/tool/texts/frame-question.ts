import type { Elicit, ElicitRequest, ElicitResult } from '../calls/elicitation.ts';
import { isPlainObject, type JsonSchema } from '../json.ts';
import { quoteText, revealHidden } from './reveal-hidden.ts';

/** A server's question, framed by the board, and the conversion of its answer. */
export interface FramedQuestion {
  readonly request: ElicitRequest;
  /** Restores the server's field names in an answer. */
  readonly restore: (answer: ElicitResult) => ElicitResult;
}

const MAX_WORDS = 4_000;
/** Fields of the board's own questions. A server's field must not have such a name. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['approve']);

/**
 * Frames a server's question so that it cannot be mistaken for one of the board: the board names the asking server and tool, quotes each
 * line of the server, and prefixes each field with the server's name.
 *
 * For channels that show a message and a form, as MCP clients do. Pages of their own show the parts separately.
 *
 * @example
 * import { type Elicit, frameQuestion } from 'pegboard';
 * const elicit: Elicit = async (request, call) => {
 *   const framed = frameQuestion(request, call);
 *   console.log(framed.request.message);
 *   return framed.restore({ action: 'decline' });
 * };
 */
export function frameQuestion(
  request: ElicitRequest,
  { tool, source }: Pick<Parameters<Elicit>[1], 'tool' | 'source'>,
): FramedQuestion {
  const lines = [`The server ${quoteText(source)} (tool ${tool}) asks:`, ...quoteLines(request.message)];
  if (request.mode === 'url') {
    const host = URL.parse(request.url)?.host;
    lines.push(`It wants you to open a page of ${host ?? 'an address that cannot be read'}. This is not an approval.`);
    return { request: { ...request, message: lines.join('\n') }, restore: (answer) => answer };
  }
  lines.push('This is not an approval. Your answer goes to the server.');
  const { schema, names } = frameSchema(request.requestedSchema, source);
  return {
    request: { ...request, message: lines.join('\n'), requestedSchema: schema },
    restore: ({ action, content }) => {
      if (content === undefined) return { action };
      const restored = Object.entries(content).map(([name, value]) => [names.get(name) ?? name, value]);
      return { action, content: Object.fromEntries(restored) };
    },
  };
}

function quoteLines(message: string): string[] {
  const kept = message.slice(0, MAX_WORDS);
  const lines = revealHidden(kept)
    .split(/\r?\n/)
    .map((line) => `> ${line}`);
  const missing = message.length - kept.length;
  return missing === 0 ? lines : [...lines, `(${missing.toLocaleString('en')} more characters of it are not shown.)`];
}

/** Renames the server's fields so that they differ from the board's; `names` maps them back. */
function frameSchema(
  schema: JsonSchema,
  source: string,
): { readonly schema: JsonSchema; readonly names: ReadonlyMap<string, string> } {
  const names = new Map<string, string>();
  const cleaned = cleanWords(schema);
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const framed = Object.entries(properties).map(([name, property]) => {
    let shown = toLine(name);
    while (OWN_FIELDS.has(shown.trim().toLowerCase()) || names.has(shown)) shown = `server_${shown}`;
    names.set(shown, name);
    const words = isPlainObject(property) ? cleanWords(property) : {};
    const title = typeof words['title'] === 'string' ? words['title'] : toLine(name);
    return [shown, { ...words, title: `${toLine(source)}: ${title}` }];
  });
  const shownNames = new Map([...names].map(([shown, name]) => [name, shown]));
  const { required } = schema;
  return {
    schema: {
      ...cleaned,
      properties: Object.fromEntries(framed),
      ...(Array.isArray(required)
        ? { required: required.map((name) => shownNames.get(String(name)) ?? String(name)) }
        : {}),
    },
    names,
  };
}

/** Makes titles and descriptions of a schema single lines with visible characters; values stay unchanged. */
function cleanWords(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if ((key === 'title' || key === 'description') && typeof value === 'string') return [key, toLine(value)];
      if (key === 'enumNames' && Array.isArray(value)) return [key, value.map((name) => toLine(String(name)))];
      if ((key === 'oneOf' || key === 'anyOf') && Array.isArray(value))
        return [key, value.map((part: unknown) => (isPlainObject(part) ? cleanWords(part) : part))];
      if (key === 'items' && isPlainObject(value)) return [key, cleanWords(value)];
      return [key, value];
    }),
  );
}

function toLine(text: string): string {
  return revealHidden(text.replaceAll(/(?:[\t\n ]|\r\n)+/g, ' ')).trim();
}

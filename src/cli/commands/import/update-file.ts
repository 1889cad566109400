import { isDeepStrictEqual } from 'node:util';
import { load } from 'js-yaml';
import { editSection } from '../../../load/yaml/edit-section.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { formatParts, hashParts, mergeWritten, parseParts, type WrittenParts } from './merge-written.ts';

/** A generated config with the origin of each tool. */
export interface RememberedImport {
  readonly http: unknown;
  /** The tools by name, with their origin, such as `GET /users`. */
  readonly tools: ReadonlyMap<string, { readonly tool: unknown; readonly origin: string }>;
  /** All origins in the source, imported or not. */
  readonly origins: ReadonlySet<string>;
  /** Formats tools for a file, with two spaces before each dash. */
  readonly format: (tools: readonly unknown[]) => string;
}

export interface UpdatedFile {
  readonly text: string;
  readonly added: number;
  readonly changed: number;
  readonly notes: readonly string[];
}

const HEADING = '# Written by the import, so that the next one keeps your changes. Do not edit these lines.';
const LINE = /^#= (\S+)(?: (\S+ \S+))? ([\w-]*)$/;
const HTTP = 'http';

interface Memory {
  readonly name: string;
  readonly parts: WrittenParts;
}

/** Formats the lines at the end of a file, from which the next import detects a person's changes. */
export function formatMemory({ http, tools }: Pick<RememberedImport, 'http' | 'tools'>): string {
  const lines = [...tools].map(([name, { tool, origin }]) => formatLine(origin, { name, parts: hashParts(tool) }));
  const shared = http === undefined ? [] : [`#= ${HTTP} ${formatParts(hashParts(http))}`];
  return `${[HEADING, ...shared, ...lines].join('\n')}\n`;
}

/** Returns true when a file has such lines. */
export function hasMemory(text: string): boolean {
  return text.replaceAll('\r\n', '\n').includes(`\n${HEADING}\n`);
}

/** Merges a new import into a file: keeps a person's changes and takes those of the source. */
export function updateFile(text: string, made: RememberedImport, shown: string): UpdatedFile {
  // Some editors change the line endings.
  const [body = '', memoryText = ''] = text.replaceAll('\r\n', '\n').split(`\n${HEADING}\n`);
  const memory = parseMemory(memoryText);
  const current = readTools(body, shown);
  const parts = splitTools(body, [...current.keys()], shown);
  const format = (tools: readonly unknown[]): string => made.format(tools).replaceAll(/^ {2}/gm, parts.indent);
  const remembered = new Map([...memory.tools].map(([origin, { name }]) => [name, origin]));
  const kept: string[] = [];
  const removed: string[] = [];
  const fresh: unknown[] = [];
  const differing: string[] = [];
  let changed = 0;
  const nextMemory = new Map(memory.tools);

  for (const [name, { tool, origin }] of made.tools) {
    const known = memory.tools.get(origin);
    const place = findTool(current, { name: known?.name ?? name, tool, remembered });
    nextMemory.set(origin, { name: place ?? known?.name ?? name, parts: hashParts(tool) });
    if (place === undefined) {
      if (known !== undefined) removed.push(known.name);
      else fresh.push(tool);
      continue;
    }
    const own = current.get(place);
    if (known === undefined) {
      // Not written by such an import, so it belongs to the person.
      nextMemory.delete(origin);
      if (!isDeepStrictEqual(own, tool)) differing.push(place);
      continue;
    }
    const merged = mergeWritten(own, { ...(isPlainObject(tool) ? tool : {}), name: place }, known.parts);
    kept.push(...merged.kept.filter((path) => path !== 'name').map((path) => `${place} (${path})`));
    if (isDeepStrictEqual(merged.value, own)) continue;
    parts.blocks.set(place, { comments: parts.blocks.get(place)?.comments ?? '', text: format([merged.value]) });
    changed++;
  }
  const gone = [...memory.tools].filter(([origin, { name }]) => !made.origins.has(origin) && current.has(name));
  const blocks = [...parts.blocks.values()].map((block) => block.comments + block.text);
  if (fresh.length > 0) blocks.push(format(fresh));
  const whole = updateHttp(`${parts.head}${blocks.join('')}${parts.tail}`.trimEnd(), {
    made,
    memory: memory.http,
    shown,
  });
  const lines = [...nextMemory].map(([origin, line]) => formatLine(origin, line));
  const shared = made.http === undefined ? [] : [`#= ${HTTP} ${formatParts(hashParts(made.http))}`];
  return {
    text: `${whole}\n${[HEADING, ...shared, ...lines].join('\n')}\n`,
    added: fresh.length,
    changed,
    notes: [
      ...listed('Changed by you and in the document; yours stay', kept),
      ...listed(
        'No longer in the document, but still in the file',
        gone.map(([, { name }]) => name),
      ),
      ...listed('Not written again, because you removed them', removed),
      ...listed('Unchanged, although the import would write them differently now', differing),
    ],
  };
}

/** Finds the current name of a tool in the file; a person may have renamed it. */
function findTool(
  current: ReadonlyMap<string, unknown>,
  wanted: { readonly name: string; readonly tool: unknown; readonly remembered: ReadonlyMap<string, string> },
): string | undefined {
  if (current.has(wanted.name)) return wanted.name;
  const request = firstRequest(wanted.tool);
  return [...current].find(
    ([name, tool]) => !wanted.remembered.has(name) && request !== '' && firstRequest(tool) === request,
  )?.[0];
}

function firstRequest(tool: unknown): string {
  const [first]: unknown[] = isPlainObject(tool) && Array.isArray(tool['requests']) ? tool['requests'] : [];
  return isPlainObject(first) ? `${String(first['method'])} ${String(first['url'])}` : '';
}

function updateHttp(
  text: string,
  { made, memory, shown }: { readonly made: RememberedImport; readonly memory: WrittenParts; readonly shown: string },
): string {
  if (made.http === undefined) return text;
  const data = load(text);
  const current = isPlainObject(data) ? (data['http'] ?? {}) : {};
  const { value } = mergeWritten(current, made.http, memory);
  if (!isPlainObject(value) || isDeepStrictEqual(value, current)) return text;
  return editSection(text, shown, { section: 'http', set: value }).trimEnd();
}

interface SplitText {
  readonly head: string;
  /** The text of each tool by name, with the comments above it. */
  readonly blocks: Map<string, { readonly comments: string; readonly text: string }>;
  readonly indent: string;
  readonly tail: string;
}

/** Splits a file at its tools. Refuses formats that it cannot split. */
function splitTools(text: string, names: readonly string[], shown: string): SplitText {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => `${line}\n`);
  const start = lines.findIndex((line) => /^tools:\s*(?:#.*)?$/.test(line.trimEnd()));
  const first = lines.findIndex((line, index) => index > start && /^ *- /.test(line));
  const indent = /^ */.exec(lines[first] ?? '')?.[0] ?? '';
  const after = lines.findIndex((line, index) => index > first && /^[^\s#-]/.test(line));
  const end = after === -1 ? lines.length : after;
  const items = lines.flatMap((line, index) => {
    return index >= first && index < end && line.startsWith(`${indent}- `) ? [index] : [];
  });
  if (start === -1 || first === -1 || items.length !== names.length) {
    const message = `${shown} cannot be updated: "tools:" must be a section with one "- name:" for each tool. Overwrite it with --replace, or choose another file.`;
    throw new ToolError({ code: 'invalid_config', message });
  }
  // Comments above a tool belong to it.
  const begins = items.map((item, index) => {
    const before = index === 0 ? start + 1 : (items[index - 1] ?? 0) + 1;
    let from = item;
    while (from > before && /^\s*(?:#.*)?$/.test(lines[from - 1] ?? '')) from--;
    return from;
  });
  const blocks = items.map((item, index) => {
    const comments = lines.slice(begins[index], item).join('');
    return [names[index] ?? '', { comments, text: lines.slice(item, begins[index + 1] ?? end).join('') }] as const;
  });
  return {
    head: lines.slice(0, begins[0]).join(''),
    blocks: new Map(blocks),
    indent,
    tail: lines.slice(end).join(''),
  };
}

function readTools(text: string, shown: string): Map<string, unknown> {
  try {
    const data = load(text, { filename: shown });
    const tools: unknown[] = isPlainObject(data) && Array.isArray(data['tools']) ? data['tools'] : [];
    return new Map(tools.map((tool, index) => [nameOf(tool) ?? `#${index}`, tool]));
  } catch (error) {
    throw new ToolError({
      code: 'invalid_config',
      message: `${shown} is not valid YAML: ${messageOf(error)}`,
      cause: error,
    });
  }
}

function nameOf(tool: unknown): string | undefined {
  return isPlainObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : undefined;
}

function parseMemory(text: string): { readonly http: WrittenParts; readonly tools: ReadonlyMap<string, Memory> } {
  const tools = new Map<string, Memory>();
  let http: WrittenParts = new Map();
  for (const line of text.split('\n')) {
    const [, name = '', origin, parts = ''] = LINE.exec(line) ?? [];
    if (origin !== undefined) tools.set(origin.replaceAll('%20', ' '), { name, parts: parseParts(parts) });
    else if (name === HTTP) http = parseParts(parts);
  }
  return { http, tools };
}

function formatLine(origin: string, { name, parts }: Memory): string {
  const [method = '', ...path] = origin.split(' ');
  return `#= ${name} ${method} ${path.join(' ').replaceAll(/\s/g, '%20')} ${formatParts(parts)}`;
}

function listed(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > 8 ? ` and ${counted(names.length - 8, 'other')}` : '';
  return [`${what}: ${names.slice(0, 8).join(', ')}${more}.`];
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { deriveTool } from '../../tool/define/make-tool.ts';
import { parseTool } from '../../tool/define/parse-tool.ts';
import type { ToolEntry } from '../kind.ts';

/** Tools written as code. */
export interface ScriptSettings {
  /** The absolute path of a file that exports tools. */
  readonly file: string;
}

/** An entry with `type: script`. */
export type ScriptEntry = ToolEntry<ScriptSettings>;

/** Loads the tools that a file exports, without a build. A changed file is loaded again. */
export async function loadScript(entry: ScriptEntry): Promise<Tool[]> {
  const url = pathToFileURL(entry.settings.file);
  // Node never unloads a module: an unchanged file must not be loaded again at each reload.
  url.searchParams.set('v', await hashOf(entry.settings.file));
  // A module's exports are unknown until `parseTool` has checked them.
  const module = (await import(url.href).catch((error: unknown) => {
    throw withPlace(error, entry.settings.file);
  })) as Record<string, unknown>;
  // A tool exported twice, for example in an array with all tools, is one tool.
  const items = new Set(Object.values(module).flatMap(toItems).filter(looksLikeTool));
  const tools = [...items].map((item) => withEntry(item, entry));
  if (tools.length > 0) return tools;
  throw new ToolError({
    code: 'invalid_arguments',
    message: `${entry.settings.file} exports no tools. Export what createTool() or defineTool() returns, a list of these, a registry or a board.`,
    field: 'file',
    reason: 'exports no tools',
  });
}

/** Returns the items of an export: itself, the items of a list, or the tools of a registry or a board. */
function toItems(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null || 'execute' in value) return [value];
  if ('registry' in value) return toItems(value.registry);
  // A registry returns its tools as an array; other results are checked below.
  const all: unknown = 'getAll' in value && typeof value.getAll === 'function' ? value.getAll() : [];
  return Array.isArray(all) ? all : [];
}

/** Adds the position in the file to an error thrown while loading it. */
function withPlace(error: unknown, file: string): unknown {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const at = [pathToFileURL(file).href, file].map((name) => stack.indexOf(name)).find((index) => index >= 0);
  const place = at === undefined ? undefined : /:(\d+)(?::(\d+))?/.exec(stack.slice(at).replace(/^\w+:\/\//, ''));
  if (!(error instanceof Error) || place === undefined || place === null) return error;
  return new Error(`${error.message} (${file}:${[place[1], place[2]].filter(Boolean).join(':')})`, { cause: error });
}

/** An unreadable file has no hash: Node's own error explains it. */
async function hashOf(file: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(file))
      .digest('base64url');
  } catch {
    return '';
  }
}

/** The tool made from each export. */
const fromEntries = new WeakMap<object, { readonly key: string; readonly tool: Tool }>();

/** Returns the tool for this entry: with its file as source, and the entry's paths in addition to those of the code. */
function withEntry(exported: object, { paths, metadata: { source } }: ScriptEntry): Tool {
  const key = JSON.stringify([source, paths]);
  const known = fromEntries.get(exported);
  // An unchanged tool stays the same object across reloads.
  if (known?.key === key) return known.tool;
  const tool = parseTool(exported);
  const all = paths === undefined ? undefined : [...new Set([...(tool.metadata.paths ?? []), ...paths])];
  const made = deriveTool(tool, {
    metadata: {
      ...(source === undefined ? {} : { source }),
      ...tool.metadata,
      ...(all === undefined ? {} : { paths: all }),
    },
  });
  fromEntries.set(exported, { key, tool: made });
  return made;
}

function looksLikeTool(value: unknown): value is object {
  if (typeof value === 'function') return 'prototype' in value && hasToolShape(value.prototype);
  return hasToolShape(value);
}

function hasToolShape(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'execute' in value && 'metadata' in value;
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { ToolError } from '../../core/tool-error.ts';
import type { Tool } from '../../core/tool.ts';
import { deriveTool } from '../../define/derive-tool.ts';
import { parseTool } from '../../define/parse-tool.ts';
import type { ScriptEntry } from '../tool-entry.ts';

/** Loads the tools that a file exports, unbuilt. A file that changed is loaded anew. */
export async function loadScript(entry: ScriptEntry): Promise<Tool[]> {
  const url = pathToFileURL(entry.script);
  // Node never forgets a module: what stayed the same must not be loaded again at each reload.
  url.searchParams.set('v', await hashOf(entry.script));
  // What a module exports is anybody's guess until `parseTool` has looked at it.
  const module = (await import(url.href)) as Record<string, unknown>;
  const tools = Object.values(module).flatMap((value): Tool[] => {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.filter(looksLikeTool).map((item) => withPaths(parseTool(item), entry.paths));
  });
  if (tools.length > 0) return tools;
  throw new ToolError({
    code: 'invalid_arguments',
    message: `${entry.script} exports no tools. Export what createTool() or defineTool() gives.`,
    field: 'file',
    reason: 'exports no tools',
  });
}

/** A file that cannot be read has no hash: Node's own error for it says what is wrong. */
async function hashOf(file: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(file))
      .digest('base64url');
  } catch {
    return '';
  }
}

/** What the entry says about paths holds besides what the code says. */
function withPaths(tool: Tool, paths: readonly string[] | undefined): Tool {
  if (paths === undefined) return tool;
  const all = [...new Set([...(tool.metadata.paths ?? []), ...paths])];
  return deriveTool(tool, { metadata: { ...tool.metadata, paths: all } });
}

function looksLikeTool(value: unknown): boolean {
  if (typeof value === 'function') return 'prototype' in value && isTooled(value.prototype);
  return isTooled(value);
}

function isTooled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'execute' in value && 'metadata' in value;
}

import { pathToFileURL } from 'node:url';
import { ToolError } from '../../core/tool-error.ts';
import type { Tool } from '../../core/tool.ts';
import { parseTool } from '../../define/parse-tool.ts';
import type { ScriptEntry } from '../tool-entry.ts';

/** Loads the tools that a file exports, unbuilt. A file that changed is loaded anew. */
export async function loadScript(entry: ScriptEntry, version: string): Promise<Tool[]> {
  const url = pathToFileURL(entry.script);
  url.searchParams.set('v', version);
  // What a module exports is anybody's guess until `parseTool` has looked at it.
  const module = (await import(url.href)) as Record<string, unknown>;
  const tools = Object.values(module).flatMap((value): Tool[] => {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.filter(looksLikeTool).map(parseTool);
  });
  if (tools.length > 0) return tools;
  throw new ToolError({
    code: 'invalid_arguments',
    message: `${entry.script} exports no tools. Export what createTool() or defineTool() gives.`,
    field: 'file',
    reason: 'exports no tools',
  });
}

function looksLikeTool(value: unknown): boolean {
  if (typeof value === 'function') return 'prototype' in value && isTooled(value.prototype);
  return isTooled(value);
}

function isTooled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'execute' in value && 'metadata' in value;
}

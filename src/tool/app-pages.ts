import { isPlainObject } from './json.ts';
import type { ToolMetadata } from './tool-metadata.ts';
import { restrictingNames, restrictingSources } from './tool-names.ts';
import { isDiscoveryTool } from './tool-marks.ts';
import type { Tool } from './tool.ts';

export const PAGE_TYPE = 'text/html;profile=mcp-app';

type Described = { readonly metadata: Pick<ToolMetadata, '_meta'> };

/** Returns the page that a tool shows (MCP Apps), from its `_meta`. */
export function pageOf(meta: ToolMetadata['_meta']): string | undefined {
  const ui = meta?.['ui'];
  const uri = isPlainObject(ui) ? ui['resourceUri'] : meta?.['ui/resourceUri'];
  return typeof uri === 'string' ? uri : undefined;
}

/** Returns true when models may see and call a tool. Tools with `visibility: [app]` are only for pages. */
export function isForModels(tool: Described): boolean {
  return isVisibleTo(tool, 'model');
}

function isVisibleTo({ metadata }: Described, who: 'model' | 'app'): boolean {
  const ui = metadata._meta?.['ui'];
  const visibility = isPlainObject(ui) ? ui['visibility'] : undefined;
  // A missing or invalid visibility means both, as the extension specifies.
  return !Array.isArray(visibility) || visibility.length === 0 || visibility.includes(who);
}

/** Returns the server, file or code that a tool comes from. Pages may only call tools of the same place. */
export function placeOf(tool: Pick<Tool, 'metadata'>): string {
  return restrictingSources(tool).at(-1) ?? '';
}

/** A tool that a page calls, and the page: its address, or its place if that has several pages. */
export interface PageTool {
  readonly tool: Tool;
  readonly page: string;
}

/**
 * Finds the tool that a page calls by name. Pages know the tools of their server by the names there, not by those on the board. Returns
 * `undefined` when pages may call no such tool, or when the name is ambiguous.
 */
export function findForPage(tools: readonly Tool[], name: string, place?: string): PageTool | undefined {
  const showing = tools.filter(({ metadata }) => pageOf(metadata._meta) !== undefined);
  const places = new Set(place === undefined ? showing.map(placeOf) : [place]);
  const found = tools.filter(
    (tool) =>
      isVisibleTo(tool, 'app') &&
      !isDiscoveryTool(tool) &&
      places.has(placeOf(tool)) &&
      restrictingNames(tool).includes(name),
  );
  const tool = found.find(({ metadata }) => metadata.name === name) ?? (found.length === 1 ? found[0] : undefined);
  if (tool === undefined) return undefined;
  const here = showing.filter((other) => placeOf(other) === placeOf(tool));
  const [page, ...others] = new Set(here.flatMap(({ metadata }) => pageOf(metadata._meta) ?? []));
  const only = others.length === 0 ? page : undefined;
  return { tool, page: pageOf(tool.metadata._meta) ?? only ?? placeOf(tool) };
}

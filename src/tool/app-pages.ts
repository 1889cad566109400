import { isPlainObject } from './json.ts';
import type { ToolMetadata } from './tool-metadata.ts';
import { restrictingNames, restrictingSources } from './tool-names.ts';
import { isDiscoveryTool } from './tool-marks.ts';
import type { Tool } from './tool.ts';

/** The media type of a page that a host shows in a frame (MCP Apps). */
export const PAGE_TYPE = 'text/html;profile=mcp-app';

type Described = { readonly metadata: Pick<ToolMetadata, '_meta'> };

/** The page that a tool shows (MCP Apps), as its `_meta` names it. */
export function pageOf(meta: ToolMetadata['_meta']): string | undefined {
  const ui = meta?.['ui'];
  const uri = isPlainObject(ui) ? ui['resourceUri'] : meta?.['ui/resourceUri'];
  return typeof uri === 'string' ? uri : undefined;
}

/** Whether models may see and call a tool. One that says `visibility: [app]` is for pages alone. */
export function isForModels(tool: Described): boolean {
  return isVisibleTo(tool, 'model');
}

/** Whether pages of its server may call a tool. */
function isForPages(tool: Described): boolean {
  return isVisibleTo(tool, 'app');
}

function isVisibleTo({ metadata }: Described, who: 'model' | 'app'): boolean {
  const ui = metadata._meta?.['ui'];
  const visibility = isPlainObject(ui) ? ui['visibility'] : undefined;
  // Nothing said, or nothing that makes sense: both, as the extension has it.
  return !Array.isArray(visibility) || visibility.length === 0 || visibility.includes(who);
}

/** The server that runs a tool, or the file or code that it comes from: pages call the tools of their own place only. */
export function placeOf(tool: Pick<Tool, 'metadata'>): string {
  return restrictingSources(tool).at(-1) ?? '';
}

/** A tool that a page calls, and the page: its address, or the place it belongs to where that place has several. */
export interface PageTool {
  readonly tool: Tool;
  readonly page: string;
}

/**
 * The tool that a page means by a name. A page knows the tools of its server by the names that they have there, not by those of the
 * board. `undefined` where no tool of that place may be called by pages, or two could be meant.
 */
export function findForPage(tools: readonly Tool[], name: string, place?: string): PageTool | undefined {
  const showing = tools.filter(({ metadata }) => pageOf(metadata._meta) !== undefined);
  const places = new Set(place === undefined ? showing.map(placeOf) : [place]);
  const found = tools.filter(
    (tool) =>
      isForPages(tool) && !isDiscoveryTool(tool) && places.has(placeOf(tool)) && restrictingNames(tool).includes(name),
  );
  const tool = found.find(({ metadata }) => metadata.name === name) ?? (found.length === 1 ? found[0] : undefined);
  if (tool === undefined) return undefined;
  const here = showing.filter((other) => placeOf(other) === placeOf(tool));
  const [page, ...others] = new Set(here.flatMap(({ metadata }) => pageOf(metadata._meta) ?? []));
  const only = others.length === 0 ? page : undefined;
  return { tool, page: pageOf(tool.metadata._meta) ?? only ?? placeOf(tool) };
}

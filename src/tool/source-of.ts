import type { ToolMetadata } from './tool-metadata.ts';

/** The source of tools that were written in code and say nothing of where they come from. */
const CODE = 'code';

/** Where a tool comes from, by the one name that listings, filters and rules use: its file, server or command; else `code`. */
export function sourceOf({ source }: Pick<ToolMetadata, 'source'>): string {
  return source ?? CODE;
}

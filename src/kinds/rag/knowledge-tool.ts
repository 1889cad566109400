import type { ToolMetadata } from '../../core/tool-metadata.ts';
import type { KindHost } from '../kind-host.ts';

/** What the tools of a knowledge base are made of. */
export interface KnowledgeTool {
  /** With the name of the one operation. */
  readonly metadata: ToolMetadata;
  readonly collection: string;
  readonly host: Pick<KindHost, 'knowledge'>;
}

/** Both operations give the same when they are sent twice, so a store that was away for a moment is asked again. */
export const KNOWLEDGE_RETRIES = 2;

/** Tags as a list, or as ctx's text with commas. */
export const TAGS_SCHEMA = {
  type: ['array', 'string'],
  items: { type: 'string' },
} as const;

/** Tags from what a caller sent. */
export function readTags(value: unknown): string[] {
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value.map(String) : [];
}

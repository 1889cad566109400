import type { ToolMetadata } from '../../tool/tool-metadata.ts';
import type { KindHost } from '../kind.ts';

/** What the tools of a knowledge base are made of. */
export interface KnowledgeTool {
  /** With the name of the one operation. */
  readonly metadata: ToolMetadata;
  readonly collection: string;
  readonly host: Pick<KindHost, 'knowledge'>;
}

/** Stores and embedders try again themselves: a call that did so too would multiply the attempts, and the wait. */
export const KNOWLEDGE_RETRIES = 0;

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

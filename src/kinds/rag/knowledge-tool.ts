import type { ToolMetadata } from '../../tool/tool-metadata.ts';
import type { KindHost } from '../kind.ts';

/** The parts of a knowledge tool. */
export interface KnowledgeTool {
  /** Has the name of the one operation. */
  readonly metadata: ToolMetadata;
  readonly collection: string;
  readonly host: Pick<KindHost, 'knowledge'>;
}

/** Stores and embedders retry themselves: retries of the call would multiply the attempts and the wait. */
export const KNOWLEDGE_RETRIES = 0;

/** Tags as a list, or as ctx's comma-separated text. */
export const TAGS_SCHEMA = {
  type: ['array', 'string'],
  items: { type: 'string' },
} as const;

/** Parses the tags of a call. */
export function readTags(value: unknown): string[] {
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value.map(String) : [];
}

import type { z } from 'zod';
import type { shared } from '../../kinds/common-schema.ts';
import type { ToolEntry } from '../../kinds/kind.ts';
import { parseDuration, parseSize, toTexts } from '../../kinds/parse-units.ts';
import type { ToolMetadata } from '../../tool/tool-metadata.ts';
import type { boardFile } from '../schema/board-schema.ts';
import { faultyTools } from '../turn-off.ts';
import { readEntry, type ToolReader } from './read-entry.ts';

/** A board file, checked against its schema. */
type BoardFile = z.input<typeof boardFile>;
/** The keys that entries of all kinds share. */
type SharedKeys = { readonly [Key in keyof typeof shared]?: z.input<(typeof shared)[Key]> };

/** Converts the tools of a board file to entries, without those that have errors or are disabled. */
export function readBoardTools(config: BoardFile, { context, source, folder, kindAt }: ToolReader): ToolEntry[] {
  for (const agent of Object.values(config.agents ?? {})) context.addSecrets('api_key', agent.api_key ?? '');
  const faulty = faultyTools(context.diagnostics, { count: config.tools?.length ?? 0, kindAt });
  const off = new Set(context.off.flatMap(({ type, path }) => (type === 'tool' ? [path[1]] : [])));
  const env = toTexts(config.env);
  return (config.tools ?? []).flatMap((written, index): ToolEntry[] => {
    const kind = kindAt(index);
    if (kind === undefined || faulty.has(index) || off.has(index)) return [];
    const metadata = readMetadata(written, config, source);
    return readEntry({ kind, written, path: ['tools', index], metadata }, { context, env, folder, file: config });
  });
}

function readMetadata(tool: SharedKeys, config: BoardFile, source: string): ToolMetadata {
  const tags = [...new Set([...(config.tags ?? []), ...(tool.tags ?? [])])];
  const category = tool.category ?? config.category;
  const defined = {
    category,
    tags: tags.length === 0 ? undefined : tags,
    risk: tool.risk,
    aliases: tool.aliases,
    ...(tool.title === undefined ? {} : { displayName: tool.title }),
    ...(tool.icon === undefined ? {} : { icons: [{ src: tool.icon }] }),
    idempotent: tool.idempotent ?? tool.annotations?.idempotentHint,
    annotations: tool.annotations,
    _meta: tool._meta,
    timeout: tool.timeout === undefined ? undefined : parseDuration(tool.timeout) || undefined,
    concurrency: tool.concurrency,
    retries: tool.retries,
    maxOutput: tool.max_output,
    maxMedia: tool.max_media === undefined ? undefined : parseSize(tool.max_media),
    examples: tool.examples,
    utterances: tool.utterances,
    common: tool.common,
    usageNotes: tool.usage_notes,
    limitations: tool.limitations,
    deprecated: tool.deprecated === undefined ? undefined : tool.deprecated !== false,
    replacedBy: typeof tool.deprecated === 'string' ? tool.deprecated : undefined,
  };
  // Entries whose tools have their own names and descriptions may omit these.
  const metadata = { name: tool.name ?? 'script', description: (tool.description ?? 'Script').trim(), source };
  return Object.assign(
    metadata,
    Object.fromEntries(Object.entries(defined).filter(([, value]) => value !== undefined)),
  );
}

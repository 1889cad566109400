import type { z } from 'zod';
import type { ToolEntry } from '../../kinds/kind.ts';
import { toTexts } from '../../kinds/parse-units.ts';
import type { FileContext } from '../file-context.ts';
import type { ctxTools } from '../schema/ctx-schema.ts';
import { readEntry, type ToolReader } from './read-entry.ts';

type Run = z.input<typeof ctxTools.run>;
type Http = z.input<typeof ctxTools.http>;
type Rag = z.input<typeof ctxTools.rag>;

/** A tool of a ctx file, checked against its schema. */
type CtxTool = Pick<Run, 'id' | 'description' | 'schema' | 'env' | 'workingDir' | 'paths'> &
  Partial<Pick<Run, 'commands'> & Pick<Http, 'requests'> & Pick<Rag, 'collection' | 'operations'>>;

/** A ctx file, checked against its schema. */
interface CtxFile {
  readonly tools?: readonly CtxTool[];
  readonly rag?: { readonly enabled?: boolean };
}

/** Converts the tools of a ctx file to entries. Its kinds are ours with some other keys. */
export function readCtxTools(file: CtxFile, { context, source, folder, kindAt }: ToolReader): ToolEntry[] {
  const entries = (file.tools ?? []).flatMap((tool, index) => {
    const kind = kindAt(index);
    if (kind === undefined) return [];
    const metadata = { name: tool.id, description: tool.description.trim(), source };
    const path = ['tools', index];
    const read = readEntry({ kind, written: translate(tool), path, metadata }, { context, env: {}, folder });
    return read.map((entry) => ({
      ...entry,
      metadata: { ...entry.metadata, risk: kind.guessCtxRisk?.(entry.settings) ?? entry.metadata.risk ?? 'write' },
    }));
  });
  return file.rag?.enabled === false ? leaveOutKnowledge(entries, context) : entries;
}

/** Drops knowledge tools for `rag.enabled: false`, as ctx does. */
function leaveOutKnowledge(entries: readonly ToolEntry[], context: FileContext): ToolEntry[] {
  const kept = entries.filter((entry) => !entry.kind.uses(entry).some(({ type }) => type === 'collection'));
  if (kept.length < entries.length) {
    context.add('note', ['rag', 'enabled'], 'is false: tools with type: rag are left out.');
  }
  return kept;
}

/** Reports the sections of a ctx file that are not about tools. */
export function notePassedOver(data: Readonly<Record<string, unknown>>, context: FileContext): void {
  for (const key of ['documents', 'prompts', 'settings']) {
    if (key in data) context.add('note', [key], 'is not about tools and is ignored.');
  }
}

/** Renames the keys of a tool and drops those that only ctx has. */
function translate(tool: CtxTool): Record<string, unknown> {
  return withoutGaps({
    paths: tool.paths,
    schema: tool.schema,
    env: tool.env,
    working_dir: tool.workingDir,
    commands: tool.commands?.map(({ cmd, args, workingDir, env, when }) =>
      withoutGaps({ cmd, args, workingDir, env, when }),
    ),
    requests: tool.requests?.map(({ url, method, headers, query, body }) =>
      withoutGaps({ url, method, headers: headers && toTexts(headers), query, body }),
    ),
    collection: tool.collection,
    operations: tool.operations,
  });
}

/** Drops missing values, which ctx files write as null. */
function withoutGaps(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
}

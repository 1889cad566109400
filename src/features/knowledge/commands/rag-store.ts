import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { ToolError } from '../../../tool/tool-error.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { defineCommand, FILE_OPTION, listOption, valueOption } from '../../../cli/shared/command.ts';
import { COLLECTION_OPTION, pickCollection, useKnowledge } from './use-knowledge.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';

export const ragStore = defineCommand({
  name: 'rag store',
  description: 'Stores a text in a collection. The same text is stored only once.',
  arguments: [{ name: 'TEXT', description: 'The text (default, or with -: read from stdin)', multiple: true }],
  options: {
    ...COLLECTION_OPTION,
    input: valueOption('FILE', 'Read the text from a file', { short: 'i' }),
    type: valueOption('TYPE', 'The type of document (default: general)'),
    source: valueOption('PATH', 'The file it is about'),
    tag: listOption('TAG', 'A tag; may be given several times'),
    ...FILE_OPTION,
  },
  examples: [
    ['pegboard rag store "Errors are data, never thrown" --type convention', 'a sentence'],
    ['git log -1 --format=%B | pegboard rag store --tag release', 'the output of another program'],
  ],
  run: ({ values, positionals, context }) =>
    useKnowledge(values.file, { context }, async ({ knowledge }) => {
      const collection = pickCollection(knowledge, values.collection, 'rag store');
      const content = await readContent(positionals, values.input, context);
      const note = {
        content,
        type: values.type,
        sourcePath: values.source,
        tags: values.tag,
        by: 'pegboard rag store',
      };
      const stored = await collection.store(note, { signal: context.signal });
      return {
        data: { collection: collection.name, ...stored },
        view: `${collection.name}: ${stored.outcome} (${stored.type}, ${counted(stored.chunks, 'chunk')}).`,
      };
    }),
});

async function readContent(
  words: readonly string[],
  file: string | undefined,
  { stdin, cwd }: CliContext,
): Promise<string> {
  if (file !== undefined) {
    if (words.length > 0) throw new UsageError('Give the text or --input, not both.', 'rag store');
    return readFile(file, cwd);
  }
  if (words.length > 0 && words[0] !== '-') return words.join(' ');
  if (stdin.isTTY === true) throw new UsageError('Give the text to store, --input FILE, or pipe it in.', 'rag store');
  return readText(stdin);
}

function readFile(file: string, cwd: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(resolve(cwd, file));
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new ToolError({ code: 'not_found', message: `${file} cannot be read (${reason}). Check the path.`, cause });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const message = `${file} is not UTF-8 text. Convert it, or index it: pegboard rag index ${file}`;
    throw new ToolError({ code: 'invalid_arguments', message, cause });
  }
}

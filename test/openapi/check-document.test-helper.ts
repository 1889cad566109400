import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readOpenApi } from '../../src/cli/commands/import/import-openapi.ts';
import { formatMade } from '../../src/cli/commands/import/write-yaml.ts';
import { openBoard } from '../../src/open-board.ts';
import { isPlainObject } from '../../src/tool/json.ts';
import { startDocumentServer } from './document-server.test-helper.ts';
import { sampleArguments } from './sample-arguments.test-helper.ts';

/** The results of calling each tool of a document, with the fewest arguments and with all. */
export interface DocumentCheck {
  readonly tools: readonly string[];
  /** Requests that the document does not allow, with the reasons. */
  readonly refused: readonly string[];
  /** Calls for which no valid arguments were found. */
  readonly unsampled: readonly string[];
}

/** Imports a document, opens a board with its tools, and calls each of them at a server that knows the document only. */
export async function checkDocument(
  document: Record<string, unknown>,
  { file, tags }: { readonly file: string; readonly tags?: readonly string[] | undefined },
): Promise<DocumentCheck> {
  const { url } = await startDocumentServer(document);
  const made = await readOpenApi(document, { file, baseUrl: url, include: tags && { tags } });
  const text = formatMade(made);
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-openapi-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'api.yaml'), text);
  const variables = text.matchAll(/(?<!\$)\$\{(\w+)\}/g);
  const env = Object.fromEntries([...variables].map(([, name = '']) => [name, 'secret']));
  const board = await openBoard([join(folder, 'api.yaml')], { allowHosts: ['127.0.0.1'], env });
  onTestFinished(() => board.close());
  const refused: string[] = [];
  const unsampled: string[] = [];
  const tools: string[] = [];
  for (const entry of made.data.tools) {
    if (!isPlainObject(entry) || typeof entry['name'] !== 'string' || !isPlainObject(entry['schema'])) continue;
    const { name, schema, paths } = entry;
    tools.push(name);
    for (const extent of ['minimal', 'full'] as const) {
      const sample = sampleArguments(schema, extent);
      const result = await board.call(name, withFiles(sample, paths));
      if (result.ok) continue;
      const isInvalid = result.error.code === 'invalid_arguments' || result.error.code === 'not_found';
      (isInvalid ? unsampled : refused).push(`${name}: ${result.text}`);
    }
  }
  return { tools, refused, unsampled };
}

/** Arguments whose paths lead to a file that is there. */
function withFiles(sample: unknown, paths: unknown): unknown {
  if (!isPlainObject(sample) || !Array.isArray(paths)) return sample;
  const entries = Object.entries(sample).map(([key, value]) => [key, paths.includes(key) ? 'api.yaml' : value]);
  return Object.fromEntries(entries);
}

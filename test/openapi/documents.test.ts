import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readOpenApi } from '../../src/cli/commands/import/import-openapi.ts';
import { parseDocument } from '../../src/cli/commands/import/openapi-source.ts';
import { formatMade } from '../../src/cli/commands/import/write-yaml.ts';
import { openBoard } from '../../src/open-board.ts';
import { startDocumentServer } from './document-server.test-helper.ts';
import { sampleArguments } from './sample-arguments.test-helper.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const documents = process.env['OPENAPI_DOCUMENTS'] ?? join(root, '.cache', 'openapi-documents');
const found = existsSync(join(documents, 'COMPLETE'));

it.runIf(!found)('finds the documents where tests must not be left out', () => {
  const how = 'run scripts/openapi-documents.sh, or name their folder in OPENAPI_DOCUMENTS';
  expect(process.env['CI'], `The documents are not in ${documents}: ${how}.`).toBeUndefined();
});

/** Large public documents and how many tools they give at least. What a board can read of Kubernetes' are a few tags. */
const DOCUMENTS: readonly { file: string; tools: number; tags?: readonly string[] }[] = [
  { file: 'github.json', tools: 1200 },
  { file: 'stripe.json', tools: 440 },
  { file: 'slack.json', tools: 170 },
  { file: 'digitalocean.json', tools: 280 },
  { file: 'kubernetes.json', tools: 80, tags: ['apps_v1', 'batch_v1'] },
  { file: 'figma.yaml', tools: 50 },
  { file: 'netlify.json', tools: 170 },
];

describe.runIf(found)('what is made of a large document', () => {
  it.for(DOCUMENTS)('sends only what $file allows', async ({ file, tools: least, tags }) => {
    const document = parseDocument(readFileSync(join(documents, file), 'utf8'), file) as Record<string, unknown>;
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
    const tools = board.registry.getAll().filter(({ metadata }) => !metadata.name.startsWith('output_'));
    expect(tools.length).toBeGreaterThanOrEqual(least);
    expect(tools.filter(({ metadata }) => !/^[a-z0-9_-]{1,64}$/.test(metadata.name))).toEqual([]);
    const refused: string[] = [];
    let unsampled = 0;
    for (const { metadata, schema } of tools) {
      for (const extent of ['minimal', 'full'] as const) {
        const input = sampleArguments(schema as Record<string, unknown>, extent);
        const result = await board.call(metadata.name, input);
        if (result.ok) continue;
        if (result.error.code === 'invalid_arguments') unsampled++;
        else refused.push(`${metadata.name}: ${result.text}`);
      }
    }
    expect(refused).toEqual([]);
    // Arguments that no simple sampler finds.
    expect(unsampled).toBeLessThanOrEqual(tools.length / 50);
  });
});

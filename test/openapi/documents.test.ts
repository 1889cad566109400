import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPENAPI_DOCUMENTS } from '../../scripts/test-set-up/parts.ts';
import { parseDocument } from '../../src/cli/commands/import/openapi-source.ts';
import { checkDocument } from './check-document.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

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

describe('what is made of a large document', needs('openapi-documents'), () => {
  it.for(DOCUMENTS)('sends only what $file allows', async ({ file, tools: least, tags }) => {
    // These files are known to be objects.
    const document = parseDocument(readFileSync(join(OPENAPI_DOCUMENTS, file), 'utf8'), file) as Record<
      string,
      unknown
    >;
    const { tools, refused, unsampled } = await checkDocument(document, { file, tags });
    expect(tools.length).toBeGreaterThanOrEqual(least);
    expect(tools.filter((name) => !/^[a-z0-9_-]{1,64}$/.test(name))).toEqual([]);
    expect(refused).toEqual([]);
    // Arguments that no simple sampler finds.
    expect(unsampled.length).toBeLessThanOrEqual(tools.length / 50);
  });
});

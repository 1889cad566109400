import { describe, expect, it } from 'vitest';
import { describeEmbedder } from './embedder-contract.test-helper.ts';
import { createTestEmbedder } from './test-embedder.ts';

describeEmbedder('the test embedder', async () => createTestEmbedder());

describe('createTestEmbedder', () => {
  it('returns the same numbers on every machine', async () => {
    const [vector] = await createTestEmbedder({ dimension: 8 }).embed(['send mail']);
    expect([...(vector ?? [])].map((number) => Math.round(number * 1_000))).toMatchInlineSnapshot(`
      [
        -226,
        0,
        0,
        -754,
        0,
        -226,
        -226,
        -528,
      ]
    `);
  });
});

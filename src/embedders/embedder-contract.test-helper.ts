import { describe, it } from 'vitest';
import type { Embedder } from '../core/embedder.ts';
import { embedderContract } from '../testing/contracts/embedder-contract.ts';

/** What every embedder does, whatever is behind it. */
export function describeEmbedder(name: string, open: () => Promise<Embedder>): void {
  describe(`${name}, as every embedder`, () => {
    for (const { name: promise, check } of embedderContract({ open })) it(promise, check);
  });
}

import { describe } from 'vitest';
import type { Embedder } from './embedder.ts';
import { embedderContract } from '../testing/contracts/embedder-contract.ts';
import { testContract } from '../testing/contracts/test-contract.test-helper.ts';

/** Runs the contract of all embedders. */
export function describeEmbedder(name: string, open: () => Promise<Embedder>): void {
  describe(`${name}, as every embedder`, () => {
    testContract(embedderContract({ open }));
  });
}

import { expect, it } from 'vitest';
import type { ContractCheck } from './contract.ts';

/** Defines a test for each check of a contract. */
export function testContract(checks: readonly ContractCheck[]): void {
  it.each(checks.map(({ name, check }) => [name, check] as const))('%s', async (_, check) => {
    await expect(check()).resolves.toBeUndefined();
  });
}

import { inject, type TestOptions } from 'vitest';
import type { PartName } from '../scripts/test-set-up/parts.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Parts that this machine does not have, found once for all test files. */
    missingParts: PartName[];
  }
  interface TaskMeta {
    /** Parts without which a test or a group of tests is left out. */
    needs?: readonly PartName[];
  }
}

/** Options of a test or a group of tests that is left out, and named in the report, where one of these parts is missing. */
export function needs(...parts: readonly PartName[]): TestOptions {
  return { ...(parts.every(has) ? {} : { skip: true }), meta: { needs: parts } };
}

/** True where this machine has a part. */
export function has(part: PartName): boolean {
  return !inject('missingParts').includes(part);
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatStarterConfig, STARTER_KINDS } from '../../../../cli/shared/board/starter-config.ts';

/** The built-in example in a temporary folder. */
export interface ExampleBoard {
  readonly file: string;
  readonly data: string;
  remove(): void;
}

/** Writes the built-in example to a temporary folder. */
export function placeExample(): ExampleBoard {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-example-'));
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(
    file,
    formatStarterConfig('pegboard example', {
      kinds: STARTER_KINDS,
      schema: './pegboard.schema.json',
      // It works in the caller's folder, which is elsewhere.
      hasRoots: false,
    }),
  );
  return { file, data: join(folder, 'data'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

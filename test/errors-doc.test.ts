// docs/errors.md has one row for every error code, and no others.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TOOL_ERROR_CODES } from '../src/tool/tool-error.ts';

it('documents every error code once', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/errors.md'), 'utf8');
  const codes = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code);
  expect(codes).toEqual([...TOOL_ERROR_CODES]);
});

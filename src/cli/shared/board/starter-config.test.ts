import { expect, it } from 'vitest';
import { loadFile } from '../../../load/load-file.ts';
import { formatStarterConfig, STARTER_KINDS } from './starter-config.ts';

it.for([...STARTER_KINDS.map((kind) => [kind]), [...STARTER_KINDS]])('writes a valid board with %j', (kinds) => {
  const text = formatStarterConfig('a "board": {x}', { kinds, schema: './pegboard.schema.json' });
  const { name, diagnostics, entries } = loadFile(Buffer.from(text), 'pegboard.yaml', { env: {} });
  expect({ name, diagnostics }).toEqual({ name: 'a "board": {x}', diagnostics: [] });
  expect(entries.map(({ kind }) => kind.type)).toEqual(kinds);
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CLIENT_INFO } from './agree-on-era.ts';

it('introduces the board with the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
  expect(CLIENT_INFO.version).toBe(version);
});

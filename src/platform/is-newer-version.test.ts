import { expect, it } from 'vitest';
import { isNewerVersion } from './is-newer-version.ts';

it('compares numbers as numbers, and puts a version after its own previews', () => {
  const inOrder = ['0.7.0-beta.2', '0.7.0-beta.10', '0.7.0', '0.7.1', '0.10.0', '1.0.0'];
  for (const [at, version] of inOrder.entries())
    for (const [other, against] of inOrder.entries()) expect(isNewerVersion(version, against)).toBe(at > other);
});

it('finds nothing newer in what is no version', () => {
  expect([isNewerVersion('unknown', '0.7.0'), isNewerVersion('unknown', 'unknown')]).toEqual([false, false]);
});

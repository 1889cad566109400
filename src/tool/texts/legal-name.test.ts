import { expect, it } from 'vitest';
import { toLegalName, withHash } from './legal-name.ts';

it('keeps a name that is legal everywhere', () => {
  for (const name of ['read_graph', 'a-b', 'A1', 'x'.repeat(64)]) expect(toLegalName(name)).toBe(name);
});

it('replaces each character that is not legal everywhere', () => {
  expect(toLegalName('files.read/all now')).toBe('files_read_all_now');
  expect(toLegalName('größe😀')).toBe('gr__e_');
});

it('shortens a long name to 64 characters with a hash of all of it', () => {
  const long = `${'read_'.repeat(20)}graph`;
  const short = toLegalName(long);
  expect(short).toBe('read_read_read_read_read_read_read_read_read_read_read__89b020a7');
  expect(short).toHaveLength(64);
  expect(toLegalName(`${long}s`)).not.toBe(short);
  expect(toLegalName('x'.repeat(70), { max: 20, whole: 'server__x' })).toBe(
    withHash('x'.repeat(11), { max: 20, whole: 'server__x' }),
  );
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkRoots } from './check-roots.ts';

let base: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-roots-')));
  for (const folder of ['data/sub', 'data2', 'home/notes', 'secret'])
    mkdirSync(join(base, folder), { recursive: true });
  symlinkSync('../secret', join(base, 'data/escape'));
  symlinkSync('../secret/new', join(base, 'data/dangling'));
  symlinkSync('sub', join(base, 'data/inner'));
  symlinkSync('data', join(base, 'linked'));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function faultsOf(path: unknown, roots: readonly string[] = ['data'], folder = base): string[] {
  const options = { roots, base, home: join(base, 'home') };
  return checkRoots({ path }, { names: ['path'], folders: () => [folder] }, options).map(({ message }) => message);
}

describe('checkRoots', () => {
  it.each(['data', 'data/', 'data/x', './data/sub/../new/file', 'data/inner/x', 'linked/x', 'data/~x', 'data/a:/b'])(
    'lets %s through',
    (path) => {
      expect(faultsOf(path)).toEqual([]);
    },
  );

  it.each([
    '.',
    '',
    'data/..',
    'data/../secret',
    'data2',
    'data2/x',
    'data/escape',
    'data/escape/x',
    'data/dangling',
    // As text this stays inside; the system leaves through the link.
    'data/escape/../data2',
    'data/escape/../secret/x',
    '/etc/passwd',
    'data/../../../../../../../../../../etc/passwd',
    '@data2',
    '@/etc/passwd',
    ' /etc/passwd',
    'name=/etc/passwd',
    'name=@/etc/passwd',
    'name=<../secret/x',
    'DATA/x',
  ])('stops %s', (path) => {
    expect(faultsOf(path)).toEqual([`must lie in an allowed folder ("data"); got ${JSON.stringify(path)}`]);
  });

  it.each([
    ['data/x\0', 'must not contain a NUL character; got "data/x\\u0000"'],
    ['~', 'must not start with "~": write the whole path, or "./~" for a file of that name; got "~"'],
    ['~root/x', 'must not start with "~": write the whole path, or "./~" for a file of that name; got "~root/x"'],
    [
      'file:///etc/passwd',
      'must be a path, not an address (path: true or paths: in the config says so); got "file:///etc/passwd"',
    ],
    [
      'file:/etc/passwd',
      'must be a path, not an address (path: true or paths: in the config says so); got "file:/etc/passwd"',
    ],
    [7, 'must be a path; got 7'],
    [{ path: 'data' }, 'must be a path; got an object'],
  ])('refuses %j as a path', (path, message) => {
    expect(faultsOf(path)).toEqual([message]);
  });

  it('refuses a circular link and a name that is too long', () => {
    symlinkSync('round', join(base, 'data/round'));
    const message = 'must lead to a place that can be read: a link is circular, or a folder is closed';
    expect(faultsOf('data/round')).toEqual([`${message}; got "data/round"`]);
    expect(faultsOf(`data/${'x/'.repeat(100_000)}`)).toEqual([expect.stringContaining(message)]);
  });

  it('checks each path of a list, and names the wrong one', () => {
    const options = { roots: ['data'], base, home: base };
    const paths = { names: ['files', 'to', 'absent'], folders: () => [base] };
    const issues = checkRoots({ files: ['data/a', '/etc'], to: null }, paths, options);
    expect(issues).toEqual([{ path: ['files', 1], message: 'must lie in an allowed folder ("data"); got "/etc"' }]);
  });

  it('resolves paths from the folder of the call, and roots from the base', () => {
    expect(faultsOf('x', ['data'], join(base, 'data/sub'))).toEqual([]);
    expect(faultsOf('x', ['data'], 'data')).toEqual([]);
    expect(faultsOf('data/x', ['data'], join(base, 'secret'))).toHaveLength(1);
    expect(faultsOf('../x', ['data'], 'data/escape')).toHaveLength(1);
  });

  it('supports the home folder in roots, and absolute and linked roots', () => {
    expect(faultsOf(join(base, 'home/notes/x'), ['~/notes'])).toEqual([]);
    expect(faultsOf(join(base, 'home/x'), ['~/notes'])).toHaveLength(1);
    expect(faultsOf('data/x', [join(base, 'linked')])).toEqual([]);
    expect(faultsOf('/etc/passwd', ['/'])).toEqual([]);
    expect(faultsOf('new/file', ['new'])).toEqual([]);
  });

  it('allows nothing when there are no roots', () => {
    expect(faultsOf('data', [])).toEqual(['must lie in an allowed folder (but the policy allows none); got "data"']);
  });
});

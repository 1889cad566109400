import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { findManPage, manFolders } from './find-man-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-man-'));
afterAll(() => rmSync(folder, { recursive: true }));

for (const section of ['man1', 'man8']) mkdirSync(join(folder, section));
writeFileSync(join(folder, 'man1/plain.1'), '.SH NAME\nplain \\- one');
writeFileSync(join(folder, 'man1/vcs-keep.1.gz'), gzipSync('.SH NAME\nvcs-keep \\- two'));
writeFileSync(join(folder, 'man1/cloud_app.1.zst'), zstdCompressSync('.SH NAME\ncloud \\- three'));
writeFileSync(join(folder, 'man8/admin.8'), '.SH NAME\nadmin \\- four');
writeFileSync(join(folder, 'man1/other.1'), '.so man1/vcs-keep.1\n');
writeFileSync(join(folder, 'man1/evil.1'), '.so ../../etc/passwd\n');
writeFileSync(join(folder, 'man1/round.1'), '.so man1/round.1\n');
writeFileSync(join(folder, 'man1/broken.1.gz'), 'no gzip');

const find = (...command: string[]): Promise<string | undefined> => findManPage(command, ['/nowhere', folder]);

describe('findManPage', () => {
  it('finds pages of programs and subcommands, packed or not', async () => {
    expect(await find('plain')).toContain('one');
    expect(await find('/usr/bin/plain')).toContain('one');
    expect(await find('vcs', 'keep')).toContain('two');
    expect(await find('cloud', 'app')).toContain('three');
    expect(await find('admin')).toContain('four');
    expect(await find('missing')).toBeUndefined();
  });

  it('follows a page that refers to another, but not out of the folder', async () => {
    expect(await find('other')).toContain('two');
    expect(await find('evil')).toBeUndefined();
    expect(await find('round')).toBe('.so man1/round.1\n');
  });

  it('accepts no words that are paths, and no damaged pages', async () => {
    expect(await find('..', '..')).toBeUndefined();
    expect(await find('plain 1')).toBeUndefined();
    expect(await find('broken')).toBeUndefined();
  });
});

describe('manFolders', () => {
  it('looks where MANPATH says, beside the programs, and in the usual folders', () => {
    expect(manFolders({ MANPATH: '/m', PATH: '/opt/x/bin' }).slice(0, 3)).toEqual([
      '/m',
      '/opt/x/share/man',
      '/opt/x/man',
    ]);
    expect(manFolders({})).toContain('/usr/share/man');
  });
});

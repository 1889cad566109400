import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readZip } from './read-zip.ts';
import { writeZip } from './write-zip.ts';
import { needs } from '../../../test/needs.test-helper.ts';

const FILES = [
  { name: 'b/größe.txt', data: Buffer.from('x'.repeat(10_000)) },
  { name: 'a.sh', data: Buffer.from('#!/bin/sh\n'), isExecutable: true },
  { name: 'empty', data: Buffer.alloc(0) },
];

it('packs what it can unpack, always with the same bytes', () => {
  const packed = writeZip(FILES);
  expect(writeZip(FILES.toReversed())).toEqual(packed);
  const files = readZip(packed, 'x.zip').map(({ name, isExecutable, read }) => [name, isExecutable, read().length]);
  expect(files).toEqual([
    ['a.sh', true, 10],
    ['b/größe.txt', false, 10_000],
    ['empty', false, 0],
  ]);
});

it('packs archives that another program unpacks, with permissions', needs('python3'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-zip-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'x.zip'), writeZip(FILES));
  const code =
    'import sys,zipfile,os\nz=zipfile.ZipFile("x.zip")\nassert z.testzip() is None\nz.extractall()\nos.chmod("a.sh",z.getinfo("a.sh").external_attr>>16)';
  execFileSync('python3', ['-c', code], { cwd: folder });
  expect(readFileSync(join(folder, 'b/größe.txt'), 'utf8')).toHaveLength(10_000);
  expect(statSync(join(folder, 'a.sh')).mode & 0o777).toBe(0o755);
});

it('refuses paths out of its folder, deceptive names, bombs and broken archives', () => {
  const named = (name: string): Buffer => writeZip([{ name, data: Buffer.from('x') }]);
  const refused = (bytes: Buffer): string => {
    try {
      for (const { read } of readZip(bytes, 'x.mcpb')) read();
      return 'unpacked';
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  };
  for (const name of ['../x', '/etc/x', 'a/../../x', String.raw`a\x`, 'C:x', 'a//x', './x', 'a\u0007'])
    expect(refused(named(name))).toBe(
      `x.mcpb cannot be unpacked: ${JSON.stringify(name)} is not a path within the archive.`,
    );
  expect(refused(writeZip([...FILES, { name: 'A.SH', data: Buffer.from('y') }]))).toMatch('twice');
  const link = named('link');
  link.writeUInt32LE((0o120777 << 16) >>> 0, link.indexOf('PK\u0001\u0002', 'latin1') + 38);
  expect(refused(link)).toMatch('"link" is a link');
  const bomb = writeZip([{ name: 'bomb', data: Buffer.alloc(5_000_000) }]);
  bomb.writeUInt32LE(10, bomb.indexOf('PK\u0001\u0002', 'latin1') + 24);
  expect(refused(bomb)).toMatch('"bomb"');
  const changed = named('plain');
  changed.writeUInt8(0xff, 36);
  expect(refused(changed)).toMatch('"plain"');
  const whole = writeZip(FILES);
  for (const length of [0, 10, 30, whole.length - 30, whole.length - 5])
    expect(refused(whole.subarray(0, length))).toMatch('cannot be unpacked');
  expect(refused(Buffer.from('no archive at all, but long enough'))).toMatch('it is not a ZIP archive');
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Manifest, openManifestCache } from './manifest-cache.ts';

const MANIFEST: Manifest = {
  era: 'modern',
  version: '2026-07-28',
  title: 'T',
  software: '1',
  instructions: undefined,
  capabilities: {},
  prompts: [],
  common: { resources: [], templates: [] },
  tools: [{ name: 'a', description: 'true hunter2', inputSchema: { type: 'object', properties: { hunter2: {} } } }],
};

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-manifest-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]');

describe('openManifestCache', () => {
  it('keeps a manifest without secrets, in a private file', () => {
    const folder = createFolder();
    const cache = openManifestCache(folder, redact);
    expect(cache.read('s', '0'.repeat(16))).toBeUndefined();
    cache.write('s', '0'.repeat(16), MANIFEST);
    cache.write('s', '1'.repeat(16), MANIFEST);
    const files = readdirSync(join(folder, 'mcp')).toSorted();
    expect(files).toEqual([`s-${'0'.repeat(16)}.json`, `s-${'1'.repeat(16)}.json`]);
    const file = join(folder, 'mcp', files[0] ?? '');
    expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(cache.read('s', '0'.repeat(16))).toEqual(JSON.parse(redact(JSON.stringify(MANIFEST))));
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('does not read what is nested without end', () => {
    const folder = createFolder();
    const cache = openManifestCache(folder, redact);
    cache.write('s', '0'.repeat(16), MANIFEST);
    const deep = `${'{"items":'.repeat(20_000)}{}${'}'.repeat(20_000)}`;
    const tools = `[{ "name": "a", "inputSchema": ${deep} }]`;
    const file = join(folder, 'mcp', `s-${'0'.repeat(16)}.json`);
    writeFileSync(file, `{ "format": 2, "era": "legacy", "tools": ${tools} }`);
    expect(cache.read('s', '0'.repeat(16))).toBeUndefined();
  });

  it('forgets the oldest of more than four configs of a server, and nothing of another server', () => {
    const folder = createFolder();
    const cache = openManifestCache(folder, redact);
    for (const [age, digit] of ['0', '1', '2', '3', '4', '5'].entries()) {
      cache.write('s', digit.repeat(16), MANIFEST);
      cache.writeFailure('s', digit.repeat(16), { message: 'no' });
      utimesSync(join(folder, 'mcp', `s-${digit.repeat(16)}.json`), age, age);
      cache.write('s-t', digit.repeat(16), MANIFEST);
    }
    // The newest file counts before its time is changed here.
    const kept = ['0', '1', '2', '3', '4', '5'].filter((digit) => cache.read('s', digit.repeat(16)) !== undefined);
    expect(kept).toEqual(['2', '3', '4', '5']);
    expect(cache.readFailure('s', '0'.repeat(16))).toBeUndefined();
    expect(cache.readFailure('s', '5'.repeat(16))).toEqual({ message: 'no' });
  });

  it('takes no harm from a file that is broken or a folder that cannot be written', () => {
    const folder = createFolder();
    openManifestCache(folder, redact).write('s', '0'.repeat(16), MANIFEST);
    writeFileSync(join(folder, 'mcp', `s-${'0'.repeat(16)}.json`), '{"format":1');
    expect(openManifestCache(folder, redact).read('s', '0'.repeat(16))).toBeUndefined();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    openManifestCache(file, redact).write('s', '0'.repeat(16), MANIFEST);
    expect(openManifestCache(file, redact).read('s', '0'.repeat(16))).toBeUndefined();
  });
});

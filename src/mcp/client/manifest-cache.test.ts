import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
  tools: [{ name: 'a', description: 'true hunter2', inputSchema: { type: 'object', properties: { hunter2: {} } } }],
};

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-manifest-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]');

describe('openManifestCache', () => {
  it('keeps a manifest without secrets, in a private file, and forgets that of an earlier config', () => {
    const folder = createFolder();
    const cache = openManifestCache(folder, redact);
    expect(cache.read('s', '0'.repeat(16))).toBeUndefined();
    cache.write('s', '0'.repeat(16), MANIFEST);
    cache.write('s-t', '2'.repeat(16), MANIFEST);
    cache.write('s', '1'.repeat(16), MANIFEST);
    const files = readdirSync(join(folder, 'mcp')).toSorted();
    expect(files).toEqual([`s-${'1'.repeat(16)}.json`, `s-t-${'2'.repeat(16)}.json`]);
    const file = join(folder, 'mcp', files[0] ?? '');
    expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(cache.read('s', '1'.repeat(16))).toEqual(JSON.parse(redact(JSON.stringify(MANIFEST))));
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
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

import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDocuments, type FindDocumentsOptions } from './find-documents.ts';
import { toSearchRoots } from './search-roots.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-find-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function find(
  patterns: readonly string[],
  options?: FindDocumentsOptions,
): { files: string[]; skipped: Record<string, string> } {
  const files: string[] = [];
  const skipped: Record<string, string> = {};
  const nothing = { isKnown: () => false, hasBelow: () => false, canBeGone: false };
  for (const found of findDocuments(toSearchRoots(patterns, { cwd: folder, ...nothing }), options)) {
    const path = found.path.slice(folder.length + 1);
    if (found.type === 'file') files.push(path);
    else skipped[path] = found.reason;
  }
  return { files, skipped };
}

describe('findDocuments', () => {
  it('finds files in the order of their names, each once', () => {
    write({ 'b.md': 'b', 'a/z.txt': 'z', 'a/c.md': 'c' });
    expect(find(['.', 'a', 'b.md']).files).toEqual(['a/c.md', 'a/z.txt', 'b.md']);
  });

  it('respects .gitignore files: nested ones, their exceptions, and those of parent folders up to the repository', () => {
    write({
      '.git/HEAD': 'x',
      '.gitignore': '*.log\n/build\nsecret/\n',
      'docs/.gitignore': 'draft-*\n!keep.log\n',
      'docs/a.md': 'a',
      'docs/draft-b.md': 'b',
      'docs/keep.log': 'k',
      'docs/other.log': 'o',
      'docs/secret/x.md': 's',
      'docs/build/y.md': 'y',
      'build/z.md': 'z',
    });
    expect(find(['.']).files).toEqual(['docs/a.md', 'docs/build/y.md', 'docs/keep.log']);
    expect(find(['docs']).files).toEqual(['docs/a.md', 'docs/build/y.md', 'docs/keep.log']);
  });

  it('skips files that a browser saved with a page, and temporary files of Office', () => {
    write({
      'Page.html': 'x',
      'Page_files/script.js': 'x',
      'my_files/a.md': 'x',
      'deep/B.htm': 'x',
      'deep/B_files/b.css': 'x',
      '~$plan.docx': 'x',
    });
    expect(find(['.'])).toEqual({ files: ['Page.html', 'deep/B.htm', 'my_files/a.md'], skipped: {} });
  });

  it('skips hidden files, dependencies and generated files; a named file is read', () => {
    write({
      '.env': 'KEY=1',
      'node_modules/x/readme.md': 'x',
      'package-lock.json': '{}',
      'a.min.js': 'x',
      'logo.png': 'x',
      'a.md': 'a',
    });
    expect(find(['.'])).toEqual({
      files: ['a.md'],
      skipped: { 'package-lock.json': 'is generated', 'a.min.js': 'is generated', 'logo.png': 'is a binary file' },
    });
    expect(find(['.'], { hidden: true }).files).toEqual(['.env', 'a.md']);
    expect(find(['package-lock.json', '.env']).files).toEqual(['package-lock.json', '.env']);
    expect(find(['.'], { exclude: (path) => path.endsWith('a.md') }).files).toEqual([]);
  });

  it('supports patterns', () => {
    write({ 'docs/a.md': 'a', 'docs/b.txt': 'b', 'docs/deep/c.md': 'c', 'other/d.md': 'd' });
    expect(find(['docs/**/*.md']).files).toEqual(['docs/a.md', 'docs/deep/c.md']);
    expect(find(['*/*.{md,txt}']).files).toEqual(['docs/a.md', 'docs/b.txt', 'other/d.md']);
  });

  it('reports the reasons for skipping links, empty, huge and unreadable files', () => {
    write({ 'a/empty.md': '', 'a/huge.txt': '', 'a/closed.md': 'x', 'a/b/c.md': 'c' });
    truncateSync(join(folder, 'a/huge.txt'), 50_000_000);
    symlinkSync('..', join(folder, 'a/loop'));
    symlinkSync('/etc/passwd', join(folder, 'a/outside'));
    expect(find(['a'])).toEqual({
      files: ['a/b/c.md', 'a/closed.md'],
      skipped: {
        'a/empty.md': 'is empty',
        'a/huge.txt': 'is larger than 20 MB; split it',
        'a/loop': 'is a link; name its target',
        'a/outside': 'is a link; name its target',
      },
    });
  });

  it.skipIf(process.getuid?.() === 0)('continues after an inaccessible folder', () => {
    write({ 'a/b/c.md': 'c', 'a/d.md': 'd' });
    chmodSync(join(folder, 'a/b'), 0);
    expect(find(['a'])).toEqual({ files: ['a/d.md'], skipped: { 'a/b/': 'cannot be opened (EACCES)' } });
    chmodSync(join(folder, 'a/b'), 0o700);
  });

  it('names a missing path', () => {
    expect(() => find(['nowhere'])).toThrow(
      `"nowhere" is not there (${join(folder, 'nowhere')}). Name a file, a folder or a pattern such as "docs/**/*.md".`,
    );
    expect(() => find(['{a,b}'.repeat(9)])).toThrow('too many braces');
  });
});

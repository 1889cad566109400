// Commands that every machine has, each with a style of help of its own.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestOptions } from 'vitest';
import { findProgram } from '../../scripts/test-set-up/parts.ts';
import { importBoard, type ImportedBoard } from './import-board.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

const LINES: Readonly<Record<string, readonly Line[]>> = {
  find: [
    ["find . -mtime -7 -name '*.yaml'", 'find', { path: ['.'], name: '*.yaml', mtime: '-7' }],
    [
      'find src test -maxdepth 2 -size +10k -type f',
      'find',
      { path: ['src', 'test'], maxdepth: 2, type: 'f', size: '+10k' },
    ],
  ],
  tar: [
    ['tar --create --file=x.tgz --gzip src', 'tar', { create: true, gzip: true, file: 'x.tgz', files: ['src'] }],
    [
      "tar --extract --directory=out --exclude='*.log' --exclude='*.tmp' --file=x.tar",
      'tar',
      { extract: true, directory: 'out', exclude: ['*.log', '*.tmp'], file: 'x.tar' },
    ],
  ],
  'apt-get': [
    [
      'apt-get --simulate --yes install nginx redis',
      'apt-get_install',
      { yes: true, simulate: true, pkg: ['nginx', 'redis'] },
    ],
    ['apt-get update', 'apt-get_update', {}],
  ],
  openssl: [['openssl x509 -in a.pem -noout -text', 'openssl_x509', { in: 'a.pem', noout: true, text: true }]],
  grep: [
    [
      "grep --line-number --recursive --include='*.ts' --include='*.md' TODO src",
      'grep',
      {
        patterns: 'TODO',
        file: ['src'],
        recursive: true,
        line_number: true,
        filters: [{ include: '*.ts' }, { include: '*.md' }],
      },
    ],
  ],
  sed: [['sed --quiet 1,5p notes.txt', 'sed', { quiet: true, script: '1,5p', input_file: ['notes.txt'] }]],
  ls: [['ls --all -l -1 src', 'ls', { all: true, l: true, flag_1: true, file: ['src'] }]],
};

const NEEDS: Readonly<Record<string, TestOptions>> = {
  find: needs('find-manual'),
  'apt-get': needs('apt-get-manual'),
  openssl: needs('openssl'),
};

/** Of these only Debian has apt-get, and openssl is a package of its own. */
const isThere = (program: string): boolean => findProgram(program) !== undefined || program === 'openssl';

describe.each(Object.entries(LINES).filter(([program]) => isThere(program)))('import of %s', (program, lines) => {
  let imported: ImportedBoard;
  beforeAll(async () => {
    const only = lines.map(([, tool]) => tool.slice(program.length + 1)).filter((word) => word !== '');
    imported = await importBoard([program], only.length === 0 ? {} : { only });
  });
  afterAll(() => imported.close());

  it.each(lines)('%s', NEEDS[program] ?? {}, async (line, tool, input) => {
    // The order of options is that of the page, which versions of a command change.
    const words = (text: string): string[] => text.split(' ').toSorted();
    expect(words(await imported.lineOf(tool, input))).toEqual(words(line));
  });
});

describe('a tool that is guessed to only read', needs('find-manual', 'git-manual'), () => {
  it('has no option that writes a file or runs a program', async () => {
    const [files, git] = [await importBoard(['find']), await importBoard(['git'], { only: ['diff', 'grep', 'log'] })];
    const names = [...files.tools, ...git.tools].flatMap(({ args = [] }) => args.map(({ name }) => name));
    expect(new Set([...files.tools, ...git.tools].map(({ risk }) => risk))).toEqual(new Set(['read']));
    expect(names.filter((name) => /^(?:output|delete|exec|fprint0?|fls|open_files_in_pager.*)$/.test(name))).toEqual(
      [],
    );
    expect(git.notes.join('\n')).toContain(
      'Left out of read-only tools, because they write files or run programs: --output of git_diff and 1 more, --open-files-in-pager of git_grep.',
    );
    await Promise.all([files.close(), git.close()]);
  });

  it('finds files in the folders that stand before its tests', async () => {
    const { board, folder, close } = await importBoard(['find']);
    mkdirSync(join(folder, 'notes'));
    writeFileSync(join(folder, 'notes/a.md'), 'x');
    expect(await board.call('find', { path: ['notes'], name: '*.md', mtime: '-1' })).toMatchObject({
      ok: true,
      text: 'notes/a.md\n',
    });
    await close();
  });
});

it('sends what a command reads', async () => {
  const { board, close } = await importBoard(['cat']);
  expect(await board.call('cat', { stdin: 'hello', number: true })).toMatchObject({ text: '     1\thello' });
  await close();
});

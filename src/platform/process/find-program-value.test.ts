import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openBoard } from '../../board/open-board.ts';
import { findProgramValue, VALUE } from './find-program-value.ts';

/** Returns the reason why the last value of a line, `@`, may run a program. */
function judge(line: string): string | undefined {
  const words = line.split(' ').map((word) => word.replaceAll('@', VALUE));
  return findProgramValue(
    words,
    words.findLastIndex((word) => word.includes(VALUE)),
  );
}

describe('findProgramValue', () => {
  it.each([
    ['find . -exec @', '"find" runs what follows -exec'],
    ['find . -name x -exec grep @ {} ;', '"find" runs what follows -exec'],
    ['/usr/bin/find . -execdir @', '"find" runs what follows -exec'],
    ['sed @', '"sed" has a command "e" that runs a program and "w" that writes a file'],
    ['sed -n @ file', '"sed" has a command "e" that runs a program and "w" that writes a file'],
    ['sed -e @', '"sed" has a command "e" that runs a program and "w" that writes a file'],
    ['sed --expression=@', '"sed" has a command "e" that runs a program and "w" that writes a file'],
    ['xargs @', '"xargs" runs it'],
    ['git -c @ log', '"git" takes settings such as core.pager in it, which it runs'],
    ['git fetch --upload-pack=@', '"git" runs it'],
    ['git clone --config @ x', '"git" takes settings such as core.sshCommand in it, which it runs'],
    ['git config @ @', '"git" takes settings such as core.pager in it, which it runs'],
    ['git config core.editor @', '"git" takes settings such as core.pager in it, which it runs'],
    ['git init --template=@', '"git" runs the hooks of that folder'],
    ['tar -x --to-command=@', '"tar" runs it'],
    ['tar -x --to-command @', '"tar" runs it'],
    ['ssh -o @ host', '"ssh" takes options such as ProxyCommand in it, which it runs'],
    ['ssh host @', '"ssh" hands it to a shell on the other machine'],
    ['rsync -ave @ a b', '"rsync" runs it'],
    ['make @', '"make" takes settings such as SHELL=… in it, which it runs'],
    ['sqlite3 notes.db @', '"sqlite3" has a command ".shell" that runs a program (pass -safe)'],
    ['psql -c @', String.raw`"psql" has a command "\!" that runs a program`],
    ['timeout 5 @', '"timeout" runs it'],
    ['sudo @', '"sudo" runs it'],
    ['sudo find . -exec @', '"find" runs what follows -exec'],
    ['npx @', '"npx" runs it'],
    ['docker exec web env @', '"env" runs it'],
    ['docker run alpine env @', '"env" runs it'],
    ['sudo env @', '"env" runs it'],
  ])('%s', (line, why) => {
    expect(judge(line)).toBe(why);
  });

  it.each([
    'find @ -name x',
    'find . -name @',
    'grep -e @ file',
    'sed -e s/a/b/ @',
    'sed s/a/b/ @',
    'git log --author=@',
    'git show @',
    'git config @',
    'git config user.name @',
    'git commit --template=@',
    'git -c user.name=@ commit',
    'tar -xf @',
    'timeout @ true',
    'sqlite3 -safe notes.db @',
    'sqlite3 @',
    'ls @',
    'cat find @',
    'kubectl set env @',
    'gh run watch @',
  ])('accepts %s', (line) => {
    expect(judge(line)).toBeUndefined();
  });
});

describe('a board', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-programs-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function warnings(tools: string): Promise<string[]> {
    const file = join(folder, 'pegboard.yaml');
    writeFileSync(file, `tools:\n${tools}`);
    const board = await openBoard(file, { cwd: folder });
    await board.close();
    return board.diagnostics.map(({ severity, path, message }) => `${severity} ${path.join('.')}: ${message}`);
  }

  it('warns about a value that its command may run, unless the allowed values are listed', async () => {
    expect(
      await warnings(`  - type: cli
    name: search
    description: Search
    command: find .
    args:
      - { name: exec, flag: -exec }
      - { name: kind, flag: -type, enum: [f, d] }
      - { name: only, flag: -exec, enum: [ls, stat] }
  - { type: cli, name: unpack, description: Unpack, command: tar -x, args: [{ name: to_command }, { name: file }] }
  - type: run
    name: stream
    description: Edit
    schema: { properties: { script: { type: string }, line: { type: integer }, file: { type: string } } }
    commands:
      - { cmd: sed, args: ['{{script}}', '{{file}}'] }
      - { cmd: sed, args: ['{{line}}p', '{{file}}'] }
      - { cmd: git, args: ['-c', 'core.pager={{script}}', 'log'] }
`),
    ).toEqual(
      [
        ['tools.0.args.0', '"find" runs what follows -exec'],
        ['tools.1.args.0', '"tar" runs it'],
        ['tools.2.commands.0.args.0', '"sed" has a command "e" that runs a program and "w" that writes a file'],
        ['tools.2.commands.2.args.1', '"git" takes settings such as core.pager in it, which it runs'],
      ].map(
        ([path, why]) =>
          `note ${path}: the value may run a program: ${why}. Say with enum or pattern which values may come, or write it out.`,
      ),
    );
  });

  it('does not load with a program joined to the option of an interpreter', async () => {
    const joined = `  - { type: cli, name: js, description: JS, command: node, args: [{ name: code, flag: '--eval=' }] }\n`;
    await expect(warnings(joined)).rejects.toThrow('a shell or interpreter would run what a model sends');
    const template = `  - { type: run, name: py, description: Py, schema: { properties: { code: { type: string } } }, commands: [{ cmd: python3, args: ['-c{{code}}'] }] }\n`;
    await expect(warnings(template)).rejects.toThrow('a shell or interpreter would run what a model sends');
  });
});

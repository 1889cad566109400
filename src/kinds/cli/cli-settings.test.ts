import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkCommandText } from './cli-settings.ts';
import { loadFile } from '../../load/load-file.ts';

it.each([
  ['echo "hello   world"', ['echo', 'hello   world']],
  ["echo 'it''s' fine", ['echo', 'its', 'fine']],
  ['sh -c "echo a | wc -l"', ['sh', '-c', 'echo a | wc -l']],
  [String.raw`printf "%s\n" "say \"hi\"" yes 5`, ['printf', String.raw`%s\n`, 'say "hi"', 'yes', '5']],
  ['echo "never closed', ['echo', 'never closed']],
])('shows the list to write for %s', (command, words) => {
  const message = checkCommandText(command);
  expect(message).toContain('there is no shell, and quotes would be part of the arguments. Write a list: command: [');
  expect(parse(/\[.*\]/s.exec(message ?? '')?.[0] ?? '')).toEqual(words);
});

it.each([
  ['echo a | wc -l > f', '|'],
  ['echo a > f', '>'],
  ['echo a >> f', '>>'],
  ['sort < f', '<'],
  ['make 2>&1', '2>&1'],
  ['cd x && ls', '&&'],
  ['false || true', '||'],
  ['cd x; ls', 'x;'],
  ['cd x ; ls', ';'],
  ['sleep 5 &', '&'],
  ['echo $(date)', '$('],
  ['echo `date`', '`'],
  ['echo "a  b" | wc -l', '|'],
])('says that there is no shell for %s', (command, operator) => {
  const message = checkCommandText(command);
  expect(message).toContain(`there is no shell, and "${operator}" would be an argument like any other.`);
  expect(parse(/\[.*\]/s.exec(message ?? '')?.[0] ?? '')).toEqual(['sh', '-c', command]);
});

it.each(['echo hello {{who}}', 'echo "{{ who }}" | cat'])('says where values are given for %s', (command) => {
  expect(checkCommandText(command)).toContain('args: [{name: who, positional: true}]');
});

it.each([
  ['FOO=1 make all', 'Set variables under env: { FOO: "1" }.'],
  ['ls $HOME', 'Write ${HOME} for the value of the variable'],
  ['ls ~/notes', 'Write ${HOME}/notes, or the command as a list'],
])('says what a shell would have replaced in %s', (command, remedy) => {
  expect(checkCommandText(command)).toContain(remedy);
});

it.each([
  'git log --oneline',
  'git show HEAD~',
  'find . -name *.txt',
  'dd if=a',
  'docker ps --format {{.Names}}',
  'a=b;c x',
  'npm install left-pad@>=1',
  String.raw`dir C:\x`,
])('passes %s', (command) => expect(checkCommandText(command)).toBeUndefined());

it('is an error with its position in a board file, only for a text', () => {
  const load = (text: string) => loadFile(Buffer.from(text), 'board.yaml', { env: {} });
  const board = (command: string) => load(`tools:\n  - {type: cli, name: a, description: A, command: ${command}}`);
  expect(board(`'echo "a  b"'`).diagnostics).toMatchObject([
    { severity: 'error', path: ['tools', 0, 'command'], place: { line: 2, column: 52 } },
  ]);
  const list = board(`[sh, -c, 'echo "{{x}}" | cat']`);
  expect(list.diagnostics).toEqual([]);
  expect(list.entries).toMatchObject([{ settings: { command: ['sh', '-c', 'echo "{{x}}" | cat'] } }]);
  const climax = load(`command: git\ntools: [{name: a, description: A, command: 'log "x | y"'}]`);
  expect(climax.diagnostics).toEqual([]);
  expect(climax.entries).toHaveLength(1);
});

import { expect, it } from 'vitest';
import { allCommands, loadCommand } from '../command-line/commands.ts';
import { COMMON_OPTIONS } from '../shared/command.ts';
import { readSharedLine, SHARED_COMMANDS } from './read-shared-line.ts';

/** Options that only the process itself can do. */
const OWN = new Set(['trust', 'help', 'interactive', 'out', 'watch']);

it('knows all options of its commands', async () => {
  const commands = await allCommands();
  for (const [name, { flags, values, short = {}, takesFiles = false }] of Object.entries(SHARED_COMMANDS)) {
    const entry = commands[name];
    const command = entry && (await loadCommand(name, entry));
    const options = Object.entries({ ...command?.options, ...COMMON_OPTIONS }).filter(([one]) => !OWN.has(one));
    const ofType = (type: string): string[] => options.filter(([, spec]) => spec.type === type).map(([one]) => one);
    expect([name, [...flags].toSorted()]).toEqual([name, ofType('boolean').toSorted()]);
    expect([name, [...values].toSorted()]).toEqual([name, ofType('string').toSorted()]);
    const letters = options.flatMap(([one, spec]) => ('short' in spec && spec.short ? [[spec.short, one]] : []));
    expect([name, short]).toEqual([name, Object.fromEntries(letters)]);
    expect([name, takesFiles]).toEqual([
      name,
      command?.arguments?.some(({ completes }) => completes === 'files') === true,
    ]);
  }
});

it('finds the files that a command line names', () => {
  expect(readSharedLine(['list'])).toEqual([]);
  expect(readSharedLine(['list', 'a.yaml', '--tag', 'x', '--file=b.yaml', '-f', 'c.yaml', '--', '-d'])).toEqual([
    'a.yaml',
    '-d',
    'b.yaml',
    'c.yaml',
  ]);
  expect(readSharedLine(['call', 'tool', 'file=x', '--args', '-', '-y', '--file', 'a.yaml'])).toEqual(['a.yaml']);
  expect(readSharedLine(['calls', '--limit', '5'])).toEqual([]);
  expect(readSharedLine(['calls', 'show', 'id', '--json'])).toEqual([]);
});

it('leaves other command lines to the process itself', () => {
  for (const line of [
    [],
    ['serve'],
    ['validate'],
    ['constructor'],
    ['calls', 'forget', '--caller', 'ada'],
    ['approvals', 'allow', 'id'],
    ['approvals'],
    ['call', 'tool', '--out', 'file'],
    ['call', 'tool', '-i'],
    ['call', 'tool', '--trust'],
    ['call', 'tool', '--help'],
    ['call', 'tool', '-ya', 'x=1'],
    ['call', 'tool', '--args'],
    ['call', 'tool', '--args', '--json'],
    ['call', 'tool', '--yes=1'],
    ['inspect', '--watch'],
  ])
    expect([line, readSharedLine(line)]).toEqual([line, undefined]);
});

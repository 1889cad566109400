import { describe, expect, it } from 'vitest';
import type { Ask } from './ask-command.ts';
import { parseCompletions, parseFish, readPage } from './read-page.ts';

describe('completions of Cobra', () => {
  const POOR = 'Usage:\n  boat [command]\n\nUse "boat [command] --help" for more information about a command.\n';

  it('returns subcommands with their descriptions, without values and files', () => {
    expect(parseCompletions('sail\tSet the sails\nhelp\tHelp\nfile.txt\n:4\n')).toEqual([
      { name: 'sail', description: 'Set the sails' },
    ]);
    expect(parseCompletions('sail\tSet the sails\n')).toEqual([]);
  });

  it('are requested if the help of such a program lists nothing', async () => {
    const asked: string[] = [];
    const ask: Ask = async (argv) => {
      asked.push(argv.join(' '));
      const stdout = argv.includes('__complete') ? 'sail\tSet the sails\n:4\n' : POOR;
      return { stdout, stderr: '', code: 0 };
    };
    expect((await readPage(['boat'], ask)).commands).toEqual([{ name: 'sail', description: 'Set the sails' }]);
    expect(asked).toEqual(['boat --help', 'boat __complete ']);
  });

  it('are not requested if nothing shows that the program uses Cobra', async () => {
    const asked: string[] = [];
    await readPage(['boat'], async (argv) => {
      asked.push(argv.join(' '));
      return { stdout: 'Usage: boat [command]\n', stderr: '', code: 0 };
    });
    expect(asked).toEqual(['boat --help']);
  });
});

describe('completions for fish', () => {
  const FILE = `# a remark
complete -c boat -n __fish_use_subcommand -f -a sail -d 'Set the sails'
complete -c boat -n __fish_use_subcommand -xa 'moor' -d "Make it fast"
complete -c boat -s v -l verbose -d 'Say more'
complete -c boat -n '__fish_seen_subcommand_from sail' -l rig -x -a 'full half none' -d 'How much'
complete -c other -l unrelated
`;

  it('returns subcommands and options of the program', () => {
    expect(parseFish(FILE, ['boat'])).toMatchObject({
      commands: [
        { name: 'sail', description: 'Set the sails' },
        { name: 'moor', description: 'Make it fast' },
      ],
      options: [{ flags: ['--verbose', '-v'], value: undefined, description: 'Say more' }],
      sources: ['completion'],
    });
  });

  it('returns options of a subcommand, with their values', () => {
    expect(parseFish(FILE, ['boat', 'sail'])).toMatchObject({
      commands: [],
      options: [{ flags: ['--rig'], value: { choices: ['full', 'half', 'none'] } }],
    });
    expect(parseFish(FILE, ['boat', 'moor'])).toBeUndefined();
  });

  it('does not take options of another command whose last word is the same', () => {
    const file = `complete -f -c boat -n '__fish_boat_using_command add' -l patch
complete -f -c boat -n '__fish_boat_using_command notes' -n '__fish_seen_subcommand_from add' -l force
complete -f -c boat -n '__fish_boat_using_command remote; and __fish_seen_subcommand_from add' -l fetch
complete -f -c boat -n '__fish_boat_using_command remote; and not __fish_seen_subcommand_from add' -l verbose
`;
    const flags = (...words: string[]): string[] | undefined =>
      parseFish(file, ['boat', ...words])?.options.flatMap((option) => option.flags);
    expect(flags('remote', 'add')).toEqual(['--fetch']);
    expect(flags('add')).toEqual(['--patch']);
    expect(flags('notes', 'add')).toEqual(['--force']);
    expect(flags('remote')).toEqual(['--verbose']);
  });

  it('does not take words of a fish program for subcommands', () => {
    const file = `complete -c boat -n __fish_use_subcommand -x -a "(boat list -1 | string match -rv '^x' | string split -n ' ')"
complete -c boat -n __fish_use_subcommand -a 'sail (boat other)'
`;
    expect(parseFish(file, ['boat'])?.commands).toEqual([{ name: 'sail', description: '' }]);
  });
});

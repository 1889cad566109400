import { expect, it } from 'vitest';
import { parseHelp } from './parse-help.ts';

const OPTIONS = '  -v         say more\n  -n COUNT   how many to keep\n';

it.for([
  ['below the usage', `Usage: tool.sh [-v] [-n COUNT] <database>...\nBacks up databases.\n\n${OPTIONS}`],
  [
    'below a usage with a line of its own',
    `Usage:\n  tool.sh [-v] [-n COUNT] <database>...\nBacks up databases.\n\n${OPTIONS}`,
  ],
  ['below a usage of two lines', `Usage: ./tool.sh [-v]\n   [-n COUNT] <database>...\nBacks up databases.\n${OPTIONS}`],
  ['in small letters', `usage: tool.sh [-v] [-n COUNT]\n       <database>...\nbacks up databases.\n${OPTIONS}`],
  ['below the options', `Usage: tool.sh [-v] [-n COUNT] <database>...\n${OPTIONS}\nBacks up databases.\n`],
  [
    'below the options and a remark',
    `Usage: tool.sh [-v] [-n COUNT] <database>...\n\nOptions:\n${OPTIONS}\nReport bugs to Ada.\nBacks up databases.\n`,
  ],
] as const)('finds what a script is for %s', ([, text]) => {
  const { summary, options, positionals } = parseHelp(text, ['./tool.sh']);
  expect({
    summary,
    options: options.map(({ flags: [flag] }) => flag),
    words: positionals.map(({ name }) => name),
  }).toEqual({ summary: 'Backs up databases.', options: ['-v', '-n'], words: ['database'] });
});

it("does not take a remark or a list of words for a script's purpose", () => {
  const text = 'Usage: tool.sh <name>\n  <name>  the name of a thing\n\n  -v   say more\n\nSee the wiki for more.\n';
  expect(parseHelp(text, ['./tool.sh'])).toMatchObject({ summary: '', positionals: [{ name: 'name' }] });
});

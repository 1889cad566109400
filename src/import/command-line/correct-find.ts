import type { CommandPage, PageOption } from './command-page.ts';

/** Tests that compare a number: `7`, `+7` for more and `-7` for less. */
const NUMBERS = /^-(?:amin|atime|cmin|ctime|mmin|mtime|inum|links|uid|gid|used)$/;
/** Letters that stand before the folders, names of operators, and traces of the text. */
const NO_TESTS = /^-(?:H|L|P|O|D|d|n|not|mode|and|or|a|o|l|e|v|Olevel|ok|okdir|exec|execdir|fprintf|files0-from)$/;

/** `find`: folders stand before the tests, which look like options, and a number may have a sign. */
export function correctFind(page: CommandPage): CommandPage {
  return {
    ...page,
    isFlagsFirst: false,
    positionals: page.positionals.filter(({ name }) => name !== 'expression'),
    options: page.options.filter(({ flags }) => !NO_TESTS.test(flags[0] ?? '')).map(correctTest),
  };
}

function correctTest(option: PageOption): PageOption {
  const [flag = ''] = option.flags;
  const { value } = option;
  // `path` is the folder to look in.
  if (flag === '-path') return { ...option, name: 'path_pattern' };
  const isSize = flag === '-size';
  if (value === undefined || !(isSize || NUMBERS.test(flag))) return option;
  const pattern = isSize ? '[+-]?\\d+[bcwkMG]?' : '[+-]?\\d+';
  return { ...option, value: { ...value, name: isSize ? 'size' : 'number', type: 'string', choices: [], pattern } };
}

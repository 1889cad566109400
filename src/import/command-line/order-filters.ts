import type { PageOption } from './command-page.ts';
import type { CliArgumentData, MadeCliTool } from './to-cli-tool.ts';

/** Flags that select files in order: the first or the last match decides. */
const FILTERS = /^--(?:(?:ex|in)clude(?:-from)?|filter)$/;
/** Without both, order makes no difference. */
const CONTRARY = ['--include', '--exclude'];

/**
 * Joins the flags that include and exclude files into one list: aws, rsync, grep and rclone evaluate them in order. Not every
 * client, model and database keeps the order of an object's keys, and an object could not express `exclude, include, exclude`.
 */
export function orderFilters(made: MadeCliTool): MadeCliTool {
  const { tool, options } = made;
  const args = tool.args ?? [];
  const filters = args.filter((arg) => isFilter(arg, options.get(arg.name)));
  const flags = new Set(filters.map(({ name }) => options.get(name)?.flags[0]));
  const groups = new Set([...(tool.exclusive ?? []), ...(tool.one_of ?? [])].flat());
  if (!CONTRARY.every((flag) => flags.has(flag)) || filters.some(({ name }) => groups.has(name))) return made;
  const taken = new Set(args.map(({ name }) => name));
  const name = ['filters', 'filter_list', 'file_filters'].find((free) => !taken.has(free)) ?? 'filter_sequence';
  const list: CliArgumentData = {
    name,
    description: 'The files to include, in order: [{"exclude": "*"}, {"include": "*.txt"}]',
    type: 'array',
    // Each element is one value of one flag. aws documents `--include <value> [<value>…]` but takes one.
    sequence: filters.map(({ type: _type, spread: _spread, ...flag }) => flag),
  };
  const first = args.findIndex((arg) => filters.includes(arg));
  const kept = args.map((arg, index) => (index === first ? list : arg)).filter((arg) => !filters.includes(arg));
  const moved = new Set(filters.map((filter) => filter.name));
  const argumentGuesses = new Map(
    [...made.argumentGuesses].map(([arg, from]) => [moved.has(arg) ? `${name}.${arg}` : arg, from]),
  );
  return { ...made, argumentGuesses, tool: { ...tool, args: kept } };
}

function isFilter({ enum: values, type }: CliArgumentData, option: PageOption | undefined): boolean {
  const isOne = type === undefined || type === 'array';
  return isOne && values === undefined && option?.value !== undefined && FILTERS.test(option.flags[0] ?? '');
}

import { type ArgumentSpec, COMMON_OPTIONS, type Command, type OptionSpecs } from '../shared/command.ts';
import type { Commands } from './commands.ts';
import { alignColumns, wrapText } from '../shared/print/columns.ts';
import type { TextStyle } from '../shared/print/style.ts';

/** Formats the help of `pegboard` itself, or of the commands that begin with a word such as `import`. */
export function formatOverview(
  commands: Commands,
  style: TextStyle,
  { word, width }: { readonly word: string | undefined; readonly width: number },
): string {
  const entries = Object.entries(commands).filter(([name]) => word === undefined || name.startsWith(`${word} `));
  const widest = Math.max(...entries.map(([name]) => name.length));
  const groups = Map.groupBy(entries, ([, { group = 'Operate' }]) => (word === undefined ? group : 'Commands'));
  const scope = word === undefined ? '' : ` ${word}`;
  return [
    ...(word === undefined ? ['One board for every tool an agent can use.', ''] : []),
    `${style.bold('Usage:')} pegboard${scope} COMMAND [OPTIONS]`,
    '',
    ...[...groups].flatMap(([group, members]) => {
      const rows = members.map(([name, { summary }]) => [style.cyan(name.padEnd(widest)), summary]);
      return [style.bold(`${group}:`), ...indent(alignColumns(rows, width - 2, 'wrap')), ''];
    }),
    ...(word === undefined
      ? [
          style.bold('Options:'),
          ...indent(
            alignColumns([
              [style.cyan('-h, --help'), 'Show this help, or the help of a command'],
              [style.cyan('    --version'), 'Show the version'],
            ]),
          ),
          '',
          style.bold('Example:'),
          '  pegboard init && pegboard list',
          '',
        ]
      : []),
    `See "pegboard${scope} COMMAND --help" for the help of a command, and "pegboard docs" for the documentation.`,
  ].join('\n');
}

/** Formats the help of one command: description, usage, options, examples. */
export function formatHelp(command: Command, style: TextStyle, width = Infinity): string {
  const options = { ...command.options, ...COMMON_OPTIONS };
  const words = command.arguments ?? [];
  const usage = ['pegboard', command.name, ...words.map(usageWord), '[OPTIONS]'].join(' ');
  const section = (title: string, rows: readonly string[]): string[] =>
    rows.length === 0 ? [] : ['', style.bold(title), ...indent(rows)];
  return [
    ...wrapText(command.description, width),
    '',
    `${style.bold('Usage:')} ${usage}`,
    ...section(
      'Arguments:',
      alignColumns(
        words.map(({ name, description }) => [style.cyan(name), description]),
        width - 2,
        'wrap',
      ),
    ),
    ...section('Options:', alignColumns(optionRows(options, style), width - 2, 'wrap')),
    ...section(
      command.examples.length === 1 ? 'Example:' : 'Examples:',
      command.examples.flatMap(([line, purpose]) => [style.dim(`# ${purpose}`), line]),
    ),
  ].join('\n');
}

function usageWord({ name, required, multiple }: ArgumentSpec): string {
  const word = multiple === true ? `${name}…` : name;
  return required === true ? word : `[${word}]`;
}

function optionRows(options: OptionSpecs, style: TextStyle): string[][] {
  return Object.entries(options).map(([name, { short, value, type, description }]) => {
    const flag = `${short === undefined ? '    ' : `-${short}, `}--${name}`;
    return [style.cyan(type === 'string' ? `${flag} ${value ?? 'VALUE'}` : flag), description];
  });
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}

import type { CommandPage } from '../command-page.ts';
import { splitLine } from './split-line.ts';

/** The words of an example behind the command's own; `undefined` where it shows another command or more than one. */
export function exampleTokens({ command, aliases }: CommandPage, line: string): string[] | undefined {
  const tokens = splitLine(line);
  if (tokens === undefined) return undefined;
  const names = [command, ...aliases].map(([program = '', ...rest]) => [program.split('/').at(-1) ?? program, ...rest]);
  const own = names.find((words) => words.every((word, index) => tokens[index] === word));
  return own === undefined ? undefined : tokens.slice(own.length);
}

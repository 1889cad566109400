import { findProgramValue, programMessage, VALUE } from '../running/find-program-value.ts';
import { findScript, SHELL_MESSAGE } from '../running/find-script.ts';
import type { EntryFault } from '../kind.ts';
import type { CliArgument, CliSettings } from './cli-settings.ts';

/** Finds the arguments of a command line that a shell or an interpreter would run as a program, and those that another command may. */
export function checkCli(settings: CliSettings): EntryFault[] {
  return settings.args.flatMap((arg, index): EntryFault[] => {
    const line = lineOf(settings, arg);
    if (line === undefined) return [];
    const at = line.length - 1;
    if (findScript(line) === at) return [{ path: ['args', index], message: SHELL_MESSAGE }];
    const why = isOpen(arg) ? findProgramValue(line, at) : undefined;
    return why === undefined ? [] : [{ path: ['args', index], message: programMessage(why), severity: 'warning' }];
  });
}

/** The command line up to this argument's value, the words before it standing for values too. */
function lineOf({ command, args }: CliSettings, arg: CliArgument): readonly string[] | undefined {
  const words = args.filter(({ place }) => place === 'positional');
  if (arg.place === 'positional') return [...command, ...words.slice(0, words.indexOf(arg)).map(() => VALUE), VALUE];
  if (arg.place === 'cwd' || (arg.place === 'stdin' && arg.flag === undefined) || arg.type === 'boolean')
    return undefined;
  const flag = arg.flag ?? `--${arg.name.replaceAll('_', '-')}`;
  return flag.endsWith('=') ? [...command, `${flag}${VALUE}`] : [...command, flag, VALUE];
}

/** Whether any text may come. */
function isOpen({ type, enum: values, pattern }: CliArgument): boolean {
  return type === 'string' && values === undefined && pattern === undefined;
}

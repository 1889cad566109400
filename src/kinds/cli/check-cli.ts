import { findScript, SHELL_MESSAGE } from '../find-script.ts';
import type { EntryFault } from '../kind-host.ts';
import type { CliEntry } from '../tool-entry.ts';

/** Finds the argument of a command line that a shell or an interpreter would run as a program. */
export function checkCli(entry: CliEntry): EntryFault[] {
  return entry.args.flatMap((arg, index) => {
    if (arg.place !== 'positional' && arg.flag === undefined) return [];
    const line = arg.place === 'positional' ? [...entry.command, VALUE] : [...entry.command, arg.flag ?? '', VALUE];
    const script = findScript(line);
    return script !== undefined && line[script] === VALUE ? [{ path: ['args', index], message: SHELL_MESSAGE }] : [];
  });
}

const VALUE = '\0value';

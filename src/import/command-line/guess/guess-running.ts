import { hasTrait, matches } from '../../packs/knowledge.ts';
import type { CommandPage } from '../command-page.ts';

/** The timeout of a command that may take longer than the default of 30 seconds. */
const LONG = '15m';

export function guessTimeout({ command, options }: CommandPage): typeof LONG | undefined {
  const [program = '', ...words] = command.map((word) => word.split('/').at(-1) ?? word);
  const last = words.at(-1);
  if (last === undefined) return hasTrait(program, 'slow') ? LONG : undefined;
  // `aws ec2 wait instance-running`.
  if (matches('long_command', last) || words.includes('wait')) return LONG;
  const waits = options.some(
    ({ flags, global, description }) =>
      global === undefined &&
      (flags.includes('--wait') || (flags.includes('--timeout') && matches('waiting_text', description))),
  );
  return waits ? LONG : undefined;
}

const START = 400;

/** True when a command needs a person at a keyboard: it opens an editor or windows, or attaches a terminal. */
export function needsScreen({ command, details = '', options, positionals }: CommandPage, about: string): boolean {
  const last = command.at(-1) ?? '';
  if (command.length < 2) return false;
  const text = `${about}. ${details.slice(0, START)}`;
  const isEditing =
    matches('editing_command', last) &&
    (/\beditor\b/i.test(text) || options.some(({ flags }) => flags.includes('--editor')));
  // A command that takes a program's words runs it, whatever else it opens.
  const runs = positionals.some(({ tail }) => tail === true);
  return (
    isEditing ||
    (!runs && matches('opening_text', about)) ||
    (matches('attaching_command', last) && matches('running_program_text', text))
  );
}

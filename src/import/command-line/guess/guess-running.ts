import { hasTrait } from '../../packs/knowledge.ts';
import type { CommandPage } from '../command-page.ts';

/** The timeout of a command that may take longer than the default of 30 seconds. */
const LONG = '15m';
/** Subcommands that build, move data, or wait for something. */
const LONG_VERB =
  /^(?:build|bake|compile|make|install|i|ci|add|uninstall|remove|update|upgrade|dedupe|download|upload|clone|pull|push|fetch|sync|cp|copy|mv|move|convert|wait|test|t|tst|bench|run|start|restart|stop|exec|apply|plan|destroy|init|refresh|deploy|publish|release|up|down|drain|import|export|load|save|commit|archive|backup|restore|migrate|package|pack|prune|gc|fsck|repack|bisect|audit|lint|rebuild|create)(?:-.+)?$/;
const WAITS = /\bwait/i;

/** Returns the timeout of a tool if it needs more than the default. */
export function guessTimeout({ command, options }: CommandPage): typeof LONG | undefined {
  const [program = '', ...words] = command.map((word) => word.split('/').at(-1) ?? word);
  const last = words.at(-1);
  if (last === undefined) return hasTrait(program, 'slow') ? LONG : undefined;
  // `aws ec2 wait instance-running`.
  if (LONG_VERB.test(last) || words.includes('wait')) return LONG;
  const waits = options.some(
    ({ flags, global, description }) =>
      global === undefined && (flags.includes('--wait') || (flags.includes('--timeout') && WAITS.test(description))),
  );
  return waits ? LONG : undefined;
}

/** Texts of commands that open an editor, a window or a whole screen. */
const OPENS =
  /\b(?:(?:default|text|preferred|your) editor|opens? (?:an |the )?editor|graphical|GUI|a UI for|full-?screen|repository browser|(?:diff|merge conflict resolution) tools)\b/i;
/** Verbs that attach a user's terminal to a running program. */
const ATTACHES = /^attach$/;
const RUNNING = /\b(?:running container|process|standard input|session)\b/i;
const EDITS = /^edit(?:-.+)?$/;
const START = 400;

/** True when a command needs a person at a keyboard: it opens an editor or windows, or attaches a terminal. */
export function needsScreen({ command, details = '', options, positionals }: CommandPage, about: string): boolean {
  const last = command.at(-1) ?? '';
  if (command.length < 2) return false;
  const text = `${about}. ${details.slice(0, START)}`;
  const isEditing =
    EDITS.test(last) && (/\beditor\b/i.test(text) || options.some(({ flags }) => flags.includes('--editor')));
  // A command that takes a program's words runs it, whatever else it opens.
  const runs = positionals.some(({ tail }) => tail === true);
  return isEditing || (!runs && OPENS.test(about)) || (ATTACHES.test(last) && RUNNING.test(text));
}

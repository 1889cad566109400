import type { CommandPage } from '../command-page.ts';

/** Texts of commands that open an editor, a window or a whole screen. */
const OPENS =
  /\b(?:(?:default|text|preferred|your) editor|opens? (?:an |the )?editor|graphical|GUI|a UI for|full-?screen|repository browser|(?:diff|merge conflict resolution) tools)\b/i;
/** Verbs that put a person's keyboard and screen to something that runs. */
const ATTACHES = /^attach$/;
const RUNNING = /\b(?:running container|process|standard input|session)\b/i;
const EDITS = /^edit(?:-.+)?$/;
const START = 400;

/** Whether a command is of use only to a person at a keyboard: it edits in an editor, draws windows or attaches a terminal. */
export function needsScreen({ command, details = '', options, positionals }: CommandPage, about: string): boolean {
  const last = command.at(-1) ?? '';
  if (command.length < 2) return false;
  const text = `${about}. ${details.slice(0, START)}`;
  const isEditing =
    EDITS.test(last) && (/\beditor\b/i.test(text) || options.some(({ flags }) => flags.includes('--editor')));
  // What takes the words of a program runs it, whatever else it opens.
  const runs = positionals.some(({ tail }) => tail === true);
  return isEditing || (!runs && OPENS.test(about)) || (ATTACHES.test(last) && RUNNING.test(text));
}

import { findProgramValue, VALUE } from '../../../kinds/running/find-program-value.ts';
import type { PageOption, PagePositional } from '../command-page.ts';

/** Options whose value is a program, in any command. */
const PROGRAM_FLAG =
  /^--?(?:exec|execdir|ok|okdir|ext-?cmd|to-command|checkpoint-action|(?:use-)?compress-program|rsh|rsync-path|upload-pack|receive-pack|upload-archive|sendmail-cmd|info-script|new-volume-script|(?:.+-)?(?:rsh|ssh|shell|proxy)-?command|ProxyCommand|open-files-in-pager|pager|editor|browser|askpass)$/;
/** What pages call a value that is a program. */
const PROGRAM_VALUE = /^(?:(?:shell|ssh|remote|proxy)?[-_ ]?(?:command|cmd)(?:[-_ ]line)?|prog|program|executable)$/i;
/** Texts of options that take a program, such as `custom command for viewing diffs` and `Run COMMAND after each file`. */
const PROGRAM_TEXT =
  /^(?:run|execute|invoke|launch|pipe)s?\b.{0,30}\b(?:commands?|programs?|shell|script)\b|\b(?:specif(?:y|ies)|use) (?:a |an |the )?(?:custom |external |other |remote )*(?:shell )?(?:command|program) (?:to|for|that)\b/i;
const DENIES = /^(?:do(?:es)? not|don't|never)\b/i;

/** What says that the value of an option is a program that the command runs, or a setting that may be one. */
export function findProgramOption(
  { flags, value, description }: PageOption,
  command: readonly string[],
): string | undefined {
  if (value === undefined || value.choices.length > 0 || DENIES.test(description)) return undefined;
  const names = flags.map((flag) => flag.replace(/[=:]$/, ''));
  const [first = ''] = names;
  const line = [...command, first, VALUE];
  return (
    names.find((flag) => PROGRAM_FLAG.test(flag)) ??
    (PROGRAM_VALUE.test(value.name) ? value.name : undefined) ??
    (findProgramValue(line, line.length - 1) === undefined ? undefined : first) ??
    PROGRAM_TEXT.exec(description)?.[0]
  );
}

/** The same for a word that is no option; `before` are the words in front of it. */
export function findProgramWord(
  { name }: PagePositional,
  { command, before }: { readonly command: readonly string[]; readonly before: number },
): string | undefined {
  const line = [...command, ...Array.from({ length: before }, () => VALUE), VALUE];
  return findProgramValue(line, line.length - 1) === undefined ? undefined : name;
}

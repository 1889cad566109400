import { findProgramValue, VALUE } from '../../../platform/process/find-program-value.ts';
import type { PageOption, PagePositional } from '../command-page.ts';

/** Options whose value is a program, in any command. */
const PROGRAM_FLAG =
  /^--?(?:exec|execdir|ok|okdir|ext-?cmd|to-command|checkpoint-action|(?:use-)?compress-program|rsh|rsync-path|upload-pack|receive-pack|upload-archive|sendmail-cmd|info-script|new-volume-script|(?:.+-)?(?:rsh|ssh|shell|proxy)-?command|ProxyCommand|open-files-in-pager|pager|editor|browser|askpass|(?:exec|run|pre|post|before|after|helm)-(?:command|cmd)|(?:.+-)?hooks?(?:-path|-dir)?|(?:credential-)?helper|plugin-(?:dir|path)|python|interpreter|(?:.+[-_])?engine|provider(?:-path)?|load(?:able)?-(?:module|library|plugin|extension)|photo-viewer|exec-path)$/;
/** Names of values that are programs. */
const PROGRAM_VALUE = /^(?:(?:shell|ssh|remote|proxy)?[-_ ]?(?:command|cmd)(?:[-_ ]line)?|prog|program|executable)$/i;
/** Texts of options that take a program, such as `custom command for viewing diffs` and `Run COMMAND after each file`. */
const PROGRAM_TEXT =
  /^(?:run|execute|invoke|launch|pipe)s?\b.{0,30}\b(?:commands?|programs?|shell|script)\b|\|\s?pipe\b|\b(?:module|script|plugin|library|program) that (?:will be|is|gets) (?:loaded|run|executed)\b|\bpath to (?:an? |the )?(?:\w+ ){0,2}(?:executable|binary|program)\b|\b(?:specif(?:y|ies)|use) (?:a |an |the )?(?:custom |external |other |remote )*(?:shell )?(?:command|program) (?:to|for|that)\b|\bwith (?:the|a) (?:specified|given|other) \S+ interpreter\b|\bload(?:s|ed)? (?:the |a )?(?:\w+ )?(?:shared librar(?:y|ies)|shared object|dynamic module)\b/i;
/** Switches that allow a command to run third-party programs. */
const PROGRAM_SWITCH = /^--?(?:enable|allow)-(?:.+-)?(?:exec|plugins?|scripts?|hooks?|shell)$/;
/** Options that name a settings file, in which many commands find programs to run: `--kubeconfig`, `--rcfile`. */
const CONFIG_FLAG =
  /^--?(?:(?:[a-z]+-|kube|user|global)?config(?:uration)?(?:-?(?:file|path|dir))?|conf(?:-file)?|(?:[a-z]+-)?rc-?file|init-?file|defaults(?:-extra)?-file)$/;
/** Options that set any setting of a program, including programs that it runs: `apt-get -o Item=Value`. */
const SETTING_VALUE = /^config(?:uration)?[-_ ]?(?:string|file|item|option)$/i;
const SETTING_TEXT =
  /\b(?:set|override|define)s? (?:an? |the |any )?(?:arbitrary )?config(?:uration)? (?:options?|items?|variables?|parameters?|settings?|values?)\b/i;
/** Switches that build third-party code: `apt-get source --compile`. */
const BUILDS_TEXT = /^(?:compiles?|builds?) (?:the )?(?:source )?packages?\b/i;
const CONFIG_TEXT = /\b(?:files?|paths?|locations?|director(?:y|ies)|folders?)\b/i;
const DENIES = /^(?:do(?:es)? not|don't|never)\b/i;

/** Finds the word which shows that an option's value is a program the command runs, or a setting that may be one. */
export function findProgramOption(
  { flags, value, description }: PageOption,
  command: readonly string[],
): string | undefined {
  if (DENIES.test(description)) return undefined;
  const names = flags.map((flag) => flag.replace(/[=:]$/, ''));
  if (value === undefined) return names.find((flag) => PROGRAM_SWITCH.test(flag)) ?? BUILDS_TEXT.exec(description)?.[0];
  if (value.choices.length > 0) return undefined;
  const [first = ''] = names;
  const line = [...command, first, VALUE];
  return (
    names.find((flag) => PROGRAM_FLAG.test(flag)) ??
    (PROGRAM_VALUE.test(value.name) ? value.name : undefined) ??
    (findProgramValue(line, line.length - 1) === undefined ? undefined : first) ??
    PROGRAM_TEXT.exec(description)?.[0] ??
    (SETTING_VALUE.test(value.name) ? value.name : undefined) ??
    SETTING_TEXT.exec(description)?.[0] ??
    (namesSettings({ flags, value, description }) ? first : undefined)
  );
}

/** True when an option's value is a settings file, which may name programs that the command runs. */
function namesSettings({ flags, value, description }: Pick<PageOption, 'flags' | 'value' | 'description'>): boolean {
  return (
    value !== undefined &&
    flags.some((flag) => CONFIG_FLAG.test(flag.replace(/[=:]$/, ''))) &&
    CONFIG_TEXT.test(`${value.name} ${description}`)
  );
}

/** True when an option names a settings file and nobody asked for it by name. */
export function isUnaskedSettings(option: PageOption, named: readonly string[]): boolean {
  const isNamed = named.includes('all') || option.flags.some((flag) => named.includes(flag.replace(/^-+/, '')));
  return option.global !== undefined && !isNamed && namesSettings(option);
}

/** Finds the word which shows that a positional is a program; `before` is the number of words before it. */
export function findProgramWord(
  { name }: PagePositional,
  { command, before }: { readonly command: readonly string[]; readonly before: number },
): string | undefined {
  const line = [...command, ...Array.from({ length: before }, () => VALUE), VALUE];
  return findProgramValue(line, line.length - 1) === undefined ? undefined : name;
}

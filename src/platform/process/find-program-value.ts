/** Describes where a command takes a program, or code that can start one, as a value. */
interface ProgramRule {
  /** Options that take such a value, separate or joined. */
  readonly options?: RegExp;
  /** Settings in such a value that are programs, when its start or the word before it is literal. */
  readonly settings?: RegExp;
  /** Options without a value. */
  readonly switches?: RegExp;
  /** True when everything after such an option belongs to it. */
  readonly isRest?: boolean;
  /** Positional arguments: only the one at this index, or all. */
  readonly words?: number | 'all';
  /** Options that replace the positional argument. */
  readonly instead?: RegExp;
  /** The subcommand it applies to. Default: any. */
  readonly below?: RegExp;
  readonly does: string;
}

const GIT_SETTINGS =
  /alias|askpass|browser|cmd|command|driver|editor|external|filter|fsmonitor|helper|hook|pager|program|textconv|tool/i;
const WRAPPER: ProgramRule = { words: 0, does: 'runs it' };
const REMOTE: ProgramRule = {
  options: /^-o$/,
  settings: /command|include|match/i,
  does: 'takes options such as ProxyCommand in it, which it runs',
};
const EDITOR: ProgramRule = {
  options: /^(?:-c|--cmd|\+|-S|-s)$/,
  does: 'runs it as commands, which can start programs',
};

/** Rules for well-known commands other than shells and interpreters. */
const RULES: Readonly<Record<string, readonly ProgramRule[]>> = {
  find: [{ options: /^-(?:exec|execdir|ok|okdir)$/, isRest: true, does: 'runs what follows -exec' }],
  fd: [{ options: /^(?:-x|-X|--exec|--exec-batch)$/, isRest: true, does: 'runs what follows --exec' }],
  rg: [{ options: /^--(?:pre|hostname-bin)$/, does: 'runs it' }],
  sed: [
    {
      options: /^(?:-[nErsuz]*e|--expression)$/,
      does: 'has a command "e" that runs a program and "w" that writes a file',
    },
    {
      words: 0,
      instead: /^(?:-[nErsuz]*[ef]|--expression|--file)/,
      switches: /^(?:-[nErsuz]+|--(?:quiet|silent|regexp-extended|posix|sandbox|separate|unbuffered|null-data))$/,
      does: 'has a command "e" that runs a program and "w" that writes a file',
    },
  ],
  xargs: [WRAPPER],
  parallel: [{ words: 'all', does: 'runs it' }],
  git: [
    {
      options: /^(?:-c|--config-env|--exec-path)$/,
      settings: GIT_SETTINGS,
      does: 'takes settings such as core.pager in it, which it runs',
    },
    {
      options: /^--config$/,
      settings: GIT_SETTINGS,
      below: /^clone$/,
      does: 'takes settings such as core.sshCommand in it, which it runs',
    },
    {
      words: 2,
      settings: GIT_SETTINGS,
      below: /^config$/,
      does: 'takes settings such as core.pager in it, which it runs',
    },
    { options: /^--template$/, below: /^(?:clone|init)$/, does: 'runs the hooks of that folder' },
    { options: /^(?:--upload-pack|--receive-pack|--exec|--extcmd|--open-files-in-pager)$/, does: 'runs it' },
    // For other subcommands it names a file: `git diff -O<orderfile>`.
    { options: /^-O$/, below: /^grep$/, does: 'runs it' },
    { options: /^-x$/, below: /^(?:rebase|difftool)$/, does: 'runs it' },
  ],
  tar: [
    {
      options:
        /^(?:--to-command|--checkpoint-action|--use-compress-program|-I|--rsh-command|--info-script|--new-volume-script|-F)$/,
      does: 'runs it',
    },
  ],
  ssh: [REMOTE, { words: 'all', does: 'hands it to a shell on the other machine' }],
  scp: [REMOTE, { options: /^-S$/, does: 'runs it' }],
  sftp: [REMOTE, { options: /^-S$/, does: 'runs it' }],
  rsync: [{ options: /^(?:-[A-Za-z]*e|--rsh|--rsync-path)$/, does: 'runs it' }],
  make: [
    { options: /^--eval$/, does: 'runs what it defines' },
    { words: 'all', does: 'takes settings such as SHELL=… in it, which it runs' },
  ],
  vim: [EDITOR],
  vi: [EDITOR],
  nvim: [EDITOR],
  emacs: [{ options: /^(?:--eval|-eval|--execute|-f|--funcall)$/, does: 'runs it' }],
  gdb: [
    {
      options: /^-{1,2}(?:ex|eval-command|iex|init-eval-command)$/,
      does: 'runs it as commands, which can start programs',
    },
  ],
  sqlite3: [
    { options: /^-{1,2}cmd$/, does: 'has a command ".shell" that runs a program' },
    { words: 1, instead: /^-{1,2}safe$/, does: 'has a command ".shell" that runs a program (pass -safe)' },
  ],
  psql: [{ options: /^(?:-[A-Za-z]*c|--command)$/, does: String.raw`has a command "\!" that runs a program` }],
  mysql: [{ options: /^(?:-e|--execute)$/, does: String.raw`has a command "\!" that runs a program` }],
  socat: [{ words: 'all', does: 'has an address EXEC that runs a program' }],
  nc: [{ options: /^-[ec]$/, does: 'runs it' }],
  ncat: [{ options: /^(?:-[ec]|--exec|--sh-exec|--lua-exec)$/, does: 'runs it' }],
  tcpdump: [{ options: /^-z$/, does: 'runs it' }],
  sort: [{ options: /^--compress-program$/, does: 'runs it' }],
  man: [{ options: /^(?:-P|--pager|-H|--html)$/, does: 'runs it' }],
  zip: [{ options: /^(?:-TT|--unzip-command)$/, does: 'runs it' }],
  wget: [
    { options: /^(?:-e|--execute|--use-askpass)$/, does: 'takes settings in it, of which some are programs it runs' },
  ],
  pandoc: [{ options: /^(?:-F|--filter|-L|--lua-filter)$/, does: 'runs it' }],
  flock: [
    { options: /^(?:-c|--command)$/, does: 'hands it to a shell' },
    { words: 1, does: 'runs it' },
  ],
  watch: [{ words: 'all', does: 'hands it to a shell' }],
  timeout: [{ words: 1, does: 'runs it' }],
  chroot: [{ words: 1, does: 'runs it' }],
  ...Object.fromEntries(
    'npx uvx bunx sudo doas env nice nohup time setsid stdbuf ionice strace unshare'
      .split(' ')
      .map((name) => [name, [WRAPPER]]),
  ),
};
/** Stands for a value that is not known yet. */
export const VALUE = '\0value';

/** Explains why the value at `at` may run a program through a well-known command. The other values of the line are `VALUE` as well. */
export function findProgramValue(line: readonly string[], at: number): string | undefined {
  const element = line[at] ?? '';
  const prefix = element.slice(0, Math.max(0, element.indexOf(VALUE)));
  for (const [index, word] of line.slice(0, at).entries()) {
    const name = word.split('/').at(-1) ?? '';
    // A word that contains a value is no known command.
    if (word.includes(VALUE) || !Object.hasOwn(RULES, name) || isSubcommand(name, line.slice(0, index))) continue;
    const rule = RULES[name]?.find((candidate) => applies(candidate, line.slice(index + 1, at), prefix));
    if (rule !== undefined) return `"${name}" ${rule.does}`;
  }
  return undefined;
}

/** Names that other commands use for subcommands and arguments as well. */
const EVERYDAY = /^(?:env|time|watch|sort|zip|parallel)$/;
/** Commands without rules that start the command after them. */
const STARTERS = /^(?:busybox|toybox|command|exec)$/;

/** Returns true for a subcommand, such as the last word of `kubectl set env`. */
function isSubcommand(name: string, before: readonly string[]): boolean {
  // `gh run watch` has a subcommand; in `docker run alpine env` the word follows an image.
  const isOwn = (word: string, at: number): boolean =>
    /^[a-z][a-z-]*$/.test(word) &&
    !STARTERS.test(word) &&
    !Object.hasOwn(RULES, word) &&
    !(word === 'run' && at < before.length - 1);
  return EVERYDAY.test(name) && before.length > 0 && before.every(isOwn);
}

function applies(rule: ProgramRule, before: readonly string[], prefix: string): boolean {
  const { options, settings, switches, isRest, words, instead, below } = rule;
  if (below !== undefined && !before.some((word) => below.test(word))) return false;
  const last = before.at(-1);
  if (options !== undefined) {
    if (isRest === true && before.some((word) => options.test(word))) return true;
    if (prefix !== '' && options.test(prefix.replace(/=$/, ''))) return true;
    const isValue = last !== undefined && options.test(last) && !prefix.startsWith('-');
    if (isValue && (prefix === '' || settings === undefined || settings.test(prefix))) return true;
  }
  if (words === undefined || prefix.startsWith('-')) return false;
  // `git config user.name VALUE` sets no program.
  if (settings !== undefined && last?.includes(VALUE) === false && !settings.test(last)) return false;
  if (instead !== undefined && before.some((word) => instead.test(word))) return false;
  // After an option, the word is most likely the option's value.
  if (last?.startsWith('-') === true && last !== '--' && switches?.test(last) !== true) return false;
  return words === 'all' || before.filter((word) => !word.startsWith('-')).length === words;
}

export function programMessage(why: string): string {
  return `the value may run a program: ${why}. Say with enum or pattern which values may come, or write it out.`;
}

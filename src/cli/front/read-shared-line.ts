/** The options of a command that a running board can execute. Others are left to the process itself. */
interface SharedCommand {
  readonly flags: readonly string[];
  readonly values: readonly string[];
  /** The options that have one letter. */
  readonly short?: Readonly<Record<string, string>>;
  /** True when its words are config files. */
  readonly takesFiles?: boolean;
}

const FILE = { f: 'file' };

/** The commands that use a running board. A test compares their options with those of the commands. */
export const SHARED_COMMANDS: Readonly<Record<string, SharedCommand>> = {
  call: {
    flags: ['json', 'dry-run', 'yes'],
    values: ['file', 'arg', 'args', 'timeout'],
    short: { ...FILE, a: 'arg', y: 'yes' },
  },
  list: {
    flags: ['json', 'wait'],
    values: ['file', 'category', 'tag', 'source', 'risk'],
    short: FILE,
    takesFiles: true,
  },
  search: {
    flags: ['json', 'wait', 'explain', 'plain'],
    values: ['file', 'category', 'source', 'tag', 'risk', 'kind', 'limit'],
    short: FILE,
  },
  show: { flags: ['json', 'wait'], values: ['file'], short: FILE },
  calls: {
    flags: ['json', 'follow'],
    values: ['file', 'tool', 'caller', 'outcome', 'since', 'grep', 'limit'],
    short: FILE,
  },
  'calls show': { flags: ['json'], values: ['file'], short: FILE },
  'calls replay': { flags: ['json', 'yes'], values: ['file'], short: { ...FILE, y: 'yes' } },
  'approvals list': { flags: ['json'], values: ['file', 'status', 'caller'], short: FILE },
  'approvals show': { flags: ['json'], values: ['file'], short: FILE },
  status: { flags: ['json', 'verbose'], values: ['file'], short: FILE, takesFiles: true },
  inspect: { flags: ['json', 'open'], values: ['file', 'port'], short: FILE, takesFiles: true },
};

/** Reads the config files that a command line names; `undefined` for one that a running board does not execute. */
export function readSharedLine(args: readonly string[]): readonly string[] | undefined {
  const [first = '', second = ''] = args;
  const pair = `${first} ${second}`;
  const [command, rest] = Object.hasOwn(SHARED_COMMANDS, pair)
    ? [SHARED_COMMANDS[pair], args.slice(2)]
    : [Object.hasOwn(SHARED_COMMANDS, first) ? SHARED_COMMANDS[first] : undefined, args.slice(1)];
  // `calls forget` is another command than `calls`, which takes no words.
  const isOther = command === SHARED_COMMANDS['calls'] && second !== '' && !second.startsWith('-');
  if (command === undefined || isOther) return undefined;
  const files: string[] = [];
  const words: string[] = [];
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? '';
    if (word === '--') {
      words.push(...rest.slice(index + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      words.push(word);
      continue;
    }
    const [, long, letter, joined] = /^(?:--([a-z-]+)|-([a-z]))(?:=(.*))?$/s.exec(word) ?? [];
    const name = long ?? command.short?.[letter ?? ''] ?? '';
    if (joined !== undefined && letter !== undefined) return undefined;
    if (command.flags.includes(name) && joined === undefined) continue;
    if (!command.values.includes(name)) return undefined;
    const value = joined ?? rest[++index];
    // The command line explains what is wrong.
    if (value === undefined || (joined === undefined && value.length > 1 && value.startsWith('-'))) return undefined;
    if (name === 'file') files.push(value);
  }
  return command.takesFiles === true ? [...words, ...files] : files;
}

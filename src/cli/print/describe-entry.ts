import { isSecretName } from '../../load/interpolate.ts';
import { formatLimit } from '../../platform/process/command-limits.ts';
import type {
  CliArgument,
  CliEntry,
  HttpRequestEntry,
  RunCommand,
  RunSettings,
  ToolEntry,
} from '../../kinds/tool-entry.ts';

/** What a tool does when it is called, as labelled lines with its arguments still open; no value of a variable. */
export function describeEntry(entry: ToolEntry): [label: string, text: string][] {
  switch (entry.type) {
    case 'cli':
      return [
        ['command', describeCommandLine(entry)],
        ...entry.args.flatMap(({ place, name }): [string, string][] =>
          place === 'stdin' || place === 'cwd' ? [[place, `<${name}>`]] : [],
        ),
        ...describeRunning(entry.running),
      ];
    case 'run':
      return [
        ...entry.commands.map((command): [string, string] => ['command', describeCommand(command)]),
        ...describeRunning(entry.running),
      ];
    case 'http':
      return entry.requests.flatMap(describeRequest);
    case 'rag':
      return [['collection', entry.collection]];
    case 'broken':
      return [['off', entry.reason]];
    case 'script':
      return [['script', entry.script]];
    case 'mcp':
      return [['server', `${entry.server}, tool ${entry.tool}`]];
  }
}

/** `git log [--max-count=<max_count>] [<path>]` */
function describeCommandLine({ command, args, trailing }: CliEntry): string {
  const positionals = args.filter(({ place }) => place === 'positional');
  const flags = args.filter(({ place, flag }) => place === 'flag' || (place === 'stdin' && flag !== undefined));
  return [...command.map(quote), ...positionals.map(describePositional), ...flags.map(describeFlag), ...trailing].join(
    ' ',
  );
}

function describePositional(arg: CliArgument): string {
  return optional(arg, `<${arg.name}>`);
}

function describeFlag(arg: CliArgument): string {
  const flag = arg.flag ?? `--${arg.name.replaceAll('_', '-')}`;
  if (arg.type === 'boolean') return `[${flag}]`;
  if (flag.endsWith('=')) return optional(arg, `${flag}<${arg.name}>`);
  const isJoined = flag.startsWith('--') && arg.style === 'joined';
  return optional(arg, `${flag}${isJoined ? '=' : ' '}<${arg.name}>`);
}

function optional({ required, default: value }: CliArgument, text: string): string {
  return required || value !== undefined ? text : `[${text}]`;
}

function describeCommand({ cmd, args, when }: RunCommand): string {
  const words = args.map(({ text, when: condition }) =>
    condition === undefined ? quote(text) : `[${quote(text)} when ${condition}]`,
  );
  return [quote(cmd), ...words, ...(when === undefined ? [] : [`(when ${when})`])].join(' ');
}

/** Environment variables by name only: their values may be secrets. */
function describeRunning({ env, envPass, workingDir, sandbox, limits, output }: RunSettings): [string, string][] {
  const names = [...Object.keys(env), ...envPass];
  return [
    ...(workingDir === undefined ? [] : [['cwd', workingDir] satisfies [string, string]]),
    ...(names.length === 0 ? [] : [['env', names.join(', ')] satisfies [string, string]]),
    ...(sandbox === undefined
      ? []
      : [['sandbox', sandbox.network ? 'bwrap, with network' : 'bwrap'] satisfies [string, string]]),
    ...(limits === undefined ? [] : [['limits', describeLimits(limits)] satisfies [string, string]]),
    ...(output === 'text' ? [] : [['output', output] satisfies [string, string]]),
  ];
}

function describeLimits(limits: NonNullable<RunSettings['limits']>): string {
  const names = ['cpu', 'memory', 'processes', 'fileSize'] as const;
  return names
    .flatMap((name) => {
      const value = limits[name];
      return value === undefined ? [] : [formatLimit(name, value)];
    })
    .join(', ');
}

function describeRequest({ method, url, query, headers, body, form }: HttpRequestEntry): [string, string][] {
  const fields = Object.entries(query).map(([name, value]) => {
    return `${name}=${isSecretName(name) ? '[redacted]' : typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  const names = Object.keys(headers);
  return [
    ['request', `${method} ${url}`],
    ...(fields.length === 0 ? [] : [['query', fields.join('&')] satisfies [string, string]]),
    ...(names.length === 0 ? [] : [['headers', names.join(', ')] satisfies [string, string]]),
    ...(form === undefined ? [] : [['form', Object.keys(form).join(', ')] satisfies [string, string]]),
    ...(body === undefined
      ? []
      : [['body', typeof body === 'string' ? body : JSON.stringify(body)] satisfies [string, string]]),
  ];
}

/** A word as a shell would need it, so that blanks show. */
function quote(word: string): string {
  return /^[\w@%+=:,./{}<>[\]~-]+$/.test(word) ? word : JSON.stringify(word);
}

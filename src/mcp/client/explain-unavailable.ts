import { basename } from 'node:path';
import { describeAddress, type ServerAddress, type ServerSettings } from './server-settings.ts';
import type { TransportFailure } from './transports/transport.ts';
import { cleanMessage } from '../../pipeline/to-tool-error.ts';
import { stripEscapes } from '../../platform/outputs/decode-output.ts';
import { ToolError } from '../../tool/tool-error.ts';

interface Circumstances {
  /** Its last lines on standard error. */
  readonly errors?: readonly string[];
  readonly advice?: string | undefined;
  /** True when the board found its package, so that nothing had to be fetched. */
  readonly isInstalled?: boolean | undefined;
}

/** The error for a call whose server cannot be reached, with the last lines that the server wrote. */
export function explainUnavailable(
  { name, address }: Pick<ServerSettings, 'name' | 'address'>,
  failure: TransportFailure,
  { errors = [], advice, isInstalled }: Circumstances = {},
): ToolError {
  const reason = failure.message.replace(/\.$/, '');
  const { lines, hint } = readLastWords(address, { said: errors, reason, isInstalled });
  const said =
    lines.length === 0 ? '' : `\nIts last lines on standard error:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  const what = `The MCP server "${name}" (${describeAddress(address)}) is not available: ${reason}.`;
  return new ToolError({
    code: failure.kind === 'unauthorized' ? 'permission_denied' : 'upstream_unavailable',
    loginUrl: failure.loginUrl,
    message: cleanMessage([what, advice, hint].filter((part) => part !== undefined).join(' ') + said),
  });
}

interface LastWords {
  readonly lines: readonly string[];
  /** The change to make, or the line of the server that names the error. */
  readonly hint: string | undefined;
}

const MAX_LINES = 10;
const MAX_QUOTE = 300;

/** Lines that runtimes and package managers print around an error. */
const NOISE: readonly RegExp[] = [
  /^\s+at\s/,
  /^node:internal\//,
  /^\S*(?:\.[cm]?[jt]s|\[eval\]):\d+$/,
  /^\s*throw\s/,
  /^\s*\^+\s*$/,
  /^\s*(?:[{}]|\[|\]|\},?)\s*$/,
  /^\s*(?:requireStack|code|errno|syscall|path|url|spawnargs|cmd): .*$/,
  /^\s*-\s*\S+\.[cm]?js$/,
  /^Require stack:$/,
  /^Node\.js v\d/,
  /^npm (?:ERR!|error)\s*(?:A complete log of this run|$)/,
  /^npm (?:notice|warn)\b/i,
  /^Traceback \(most recent call last\):$/,
  /^\s+File "/,
];

/** The part of a line that names the error. */
const TELLING =
  /error|exception|fatal|cannot|could not|unable|denied|missing|required|invalid|not (?:found|set)|usage:/i;

const INSTALL: Readonly<Record<string, string>> = {
  npx: 'It comes with Node.js: https://nodejs.org',
  npm: 'It comes with Node.js: https://nodejs.org',
  node: 'It is Node.js: https://nodejs.org',
  uvx: 'It comes with uv: https://docs.astral.sh/uv',
  uv: 'See https://docs.astral.sh/uv',
  bunx: 'It comes with Bun: https://bun.sh',
  docker: 'See https://docs.docker.com/get-docker',
  python: 'Where Python is called python3, write that as the command',
};

interface Ending {
  readonly said: readonly string[];
  readonly reason: string;
  readonly isInstalled?: boolean | undefined;
}

/** Finds out why a server ended or was not ready in time, from its output on standard error. */
export function readLastWords(address: ServerAddress, ending: Ending): LastWords {
  const { said } = ending;
  if (address.type !== 'stdio') return { lines: [], hint: undefined };
  const lines = said.filter((line) => !NOISE.some((noise) => noise.test(line)));
  const hint = findHint(address, ending) ?? quote(lines);
  return { lines: lines.slice(-MAX_LINES), hint };
}

type StdioAddress = Extract<ServerAddress, { type: 'stdio' }>;

function findHint({ file, args, env }: StdioAddress, { said: lines, reason, isInstalled }: Ending): string | undefined {
  const said = lines.join('\n');
  const program = basename(file);
  if (/was not found in PATH/.test(reason)) return Object.hasOwn(INSTALL, program) ? `${INSTALL[program]}.` : undefined;
  const [, script] = /Cannot find (?:module|package) '([^']+)'/.exec(said) ?? [];
  if (script !== undefined) {
    const isOwn = args.some((arg) => script.endsWith(arg.replace(/^\.\//, '')));
    return isOwn
      ? `The file ${script} is not there: correct args of its entry.`
      : `It lacks ${script}: install what the server needs.`;
  }
  const [, module] = /ModuleNotFoundError: No module named '([^']+)'/.exec(said) ?? [];
  if (module !== undefined) return `Python has no module ${module}: install it, or start the server with uvx.`;
  if (/^npm (?:ERR!|error).*\bE?404\b/m.test(said)) return `npm knows no package ${packageOf(args)}: check its name.`;
  if (/\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT)\b/.test(said) && /^npm (?:ERR!|error)/m.test(said))
    return 'npm cannot reach its registry: check the network, or install the package first.';
  const variable = findVariable(said);
  if (variable !== undefined && (env[variable] ?? '') === '') return `Set ${variable} under env of its entry.`;
  const mayFetch = /start_timeout/.test(reason) && isInstalled !== true;
  if (mayFetch && /^(?:npx|bunx|uvx|docker|podman)$/.test(program))
    return `${program} may still have been fetching it: check the network, or install it first.`;
  return undefined;
}

/** The variable that a message reports as missing. */
function findVariable(said: string): string | undefined {
  for (const line of said.split('\n')) {
    if (
      !/required|not set|missing|must be set|must set|undefined|not defined|please (?:set|provide)|environment variable/i.test(
        line,
      )
    )
      continue;
    const name = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/.exec(line)?.[0];
    if (name !== undefined && !/^(?:ERR|MODULE|E[A-Z]+)_/.test(name)) return name;
  }
  return undefined;
}

function packageOf(args: readonly string[]): string {
  return args.find((arg) => !arg.startsWith('-')) ?? '';
}

/** The last line that names an error, or the last line. */
function quote(lines: readonly string[]): string | undefined {
  const line = lines.findLast((one) => TELLING.test(one)) ?? lines.at(-1);
  return line === undefined ? undefined : `It said: ${line.trim().slice(0, MAX_QUOTE)}`;
}

/** The last lines of a stream, in bounded memory. */
export interface TextTail {
  add(chunk: Buffer | string): void;
  lines(count?: number): string[];
  /** Clears the lines when another process starts. */
  clear(): void;
}

const MAX_LINE = 2000;

/** Keeps the last `limit` characters. */
export function createTextTail(limit = 16_384): TextTail {
  let kept = '';
  return {
    add(chunk) {
      const text = typeof chunk === 'string' ? chunk : chunk.subarray(-limit).toString('utf8');
      kept = (kept + text).slice(-limit);
    },
    clear: () => {
      kept = '';
    },
    lines: (count = 10) =>
      stripEscapes(kept)
        .split(/\r?\n/)
        .map((line) => line.trimEnd().slice(0, MAX_LINE))
        .filter((line) => line !== '')
        .slice(-count),
  };
}

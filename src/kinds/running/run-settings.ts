import { isAbsolute, relative, resolve } from 'node:path';
import type { z } from 'zod';
import { type NamedSecret, namedSecretsIn } from '../../guard/secrets/secret-names.ts';
import { childEnvironment } from '../../platform/process/child-environment.ts';
import type { JsonSchema } from '../../tool/json.ts';
import type { CommandLimits } from '../../platform/process/command-limits.ts';
import type { cliRunning } from '../cli/schema.ts';
import type { DescribedLine, DoctorFinding, EntryFault, Environment, ReadContext } from '../kind.ts';
import { parseDuration, parseSize, toTexts } from '../parse-units.ts';

/** The settings for running an entry's commands. */
export interface RunSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly envPass: readonly string[];
  readonly workingDir: string | undefined;
  /** The folder for programs with a relative path. Default: the working directory. */
  readonly programFolder?: string | undefined;
  readonly sandbox: SandboxSettings | undefined;
  readonly limits?: CommandLimits | undefined;
  /** The format of the output as data; `undefined` for text. */
  readonly output: OutputStyle | undefined;
  /** The kind of progress reported to callers. */
  readonly progress?: 'lines' | 'percent' | undefined;
  /** The meanings of exit codes, by number. */
  readonly exitCodes: Readonly<Record<string, ExitMeaning>>;
}

/** The format of a file whose contents an argument contains. */
export interface FileStyle {
  /** For example `.sql`; may be empty. */
  readonly extension: string;
  readonly encoding: 'text' | 'base64';
}

/** The conversion of a command's output to data. */
export interface OutputStyle {
  readonly type: 'json' | 'jsonl' | 'lines' | 'table';
  /** The separator of a table's cells; `undefined` for columns aligned with spaces. */
  readonly separator: string | undefined;
  /** The names of a table's columns, if its first row has none. */
  readonly columns: readonly string[] | undefined;
  /** The most lines or rows of data. */
  readonly maxRows: number;
  /** The schema of JSON data. */
  readonly schema: JsonSchema | undefined;
}

/** The meaning of an exit code: a string if it is no failure. */
type ExitMeaning = string | { readonly error: string; readonly retry?: boolean | undefined };

/** A sandbox around a command. */
interface SandboxSettings {
  readonly network: boolean;
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** The keys of an entry for running its commands. */
export type WrittenRunning = { readonly [Key in keyof typeof cliRunning]?: z.input<(typeof cliRunning)[Key]> };

/** The keys of `WrittenRunning` that are paths. */
export const RUNNING_PATHS = ['working_dir', 'sandbox.read.*', 'sandbox.write.*'];

/** Reads the settings for running an entry's commands; variables of the file come before those of the entry. */
export function readRunning(written: WrittenRunning, context: ReadContext): RunSettings {
  const env = { ...context.env, ...toTexts(written.env) };
  for (const [name, value] of Object.entries(env)) context.addSecrets(name, value);
  return {
    env,
    envPass: written.env_pass ?? [],
    workingDir: written.working_dir,
    programFolder: written.working_dir ?? context.folder,
    sandbox: readSandbox(written.sandbox),
    limits: readLimits(written.limits),
    output: readOutput(written.output),
    progress: written.progress,
    exitCodes: written.exit_codes ?? {},
  };
}

const DEFAULT_ROWS = 1000;

function readOutput(output: WrittenRunning['output']): OutputStyle | undefined {
  const {
    type,
    separator,
    columns,
    max_rows: maxRows,
    schema,
  } = typeof output === 'object' ? output : { type: output };
  if (type === undefined || type === 'text') return undefined;
  return { type, separator, columns, maxRows: maxRows ?? DEFAULT_ROWS, schema };
}

function readSandbox(sandbox: WrittenRunning['sandbox']): SandboxSettings | undefined {
  if (sandbox === undefined) return undefined;
  const given = sandbox === 'bwrap' ? { type: 'bwrap' as const } : sandbox;
  return { network: given.network ?? false, read: given.read ?? [], write: given.write ?? [] };
}

function readLimits(limits: WrittenRunning['limits']): CommandLimits | undefined {
  if (limits === undefined) return undefined;
  const { cpu, memory, processes, file_size: fileSize } = limits;
  return {
    cpu: cpu === undefined ? undefined : Math.max(1, Math.ceil(parseDuration(cpu) / 1000)),
    memory: memory === undefined ? undefined : parseSize(memory),
    processes,
    fileSize: fileSize === undefined ? undefined : parseSize(fileSize),
  };
}

/** Adds faults: a tool with a sandbox or with limits must not run without them. */
export function checkRunning(
  running: RunSettings,
  found: readonly EntryFault[],
): readonly EntryFault[] | Promise<readonly EntryFault[]> {
  const faults = [...found, ...findUnknownCodes(running), ...findOutputFaults(running)];
  if (running.sandbox === undefined && running.limits === undefined) return faults;
  return findMissing(running).then((missing) => [...faults, ...missing]);
}

/** Finds keys of `output` that its type does not have. */
function findOutputFaults({ output }: RunSettings): EntryFault[] {
  if (output === undefined) return [];
  const fault = (key: string, message: string): EntryFault[] => [{ path: ['output', key], message }];
  const isTable = output.type === 'table';
  return [
    ...(output.separator === undefined || isTable ? [] : fault('separator', 'is for type: table.')),
    ...(output.columns === undefined || isTable ? [] : fault('columns', 'is for type: table.')),
    ...(output.schema === undefined || output.type === 'json' ? [] : fault('schema', 'is for type: json.')),
    ...(output.schema === undefined || output.schema['type'] === 'object'
      ? []
      : fault('schema', 'must be an object: write type: object.')),
  ];
}

/** Finds impossible exit codes. */
function findUnknownCodes({ exitCodes }: RunSettings): EntryFault[] {
  return Object.keys(exitCodes)
    .filter((code) => Number(code) > 255 || String(Number(code)) !== code)
    .map((code) => ({ path: ['exit_codes', code], message: `no command exits with "${code}". Use 0 to 255.` }));
}

async function findMissing({ sandbox, limits }: RunSettings): Promise<EntryFault[]> {
  const noSandbox = sandbox && (await (await import('../../platform/process/sandbox.ts')).findSandboxProblem());
  const noLimits = limits && (await (await import('../../platform/process/command-limits.ts')).findLimitsProblem());
  return [
    ...(noSandbox === undefined ? [] : [{ path: ['sandbox'], message: noSandbox, severity: 'error' as const }]),
    ...(noLimits === undefined ? [] : [{ path: ['limits'], message: `${noLimits}.`, severity: 'error' as const }]),
  ];
}

/** Returns the environment variables with a secret's name that are passed to commands. */
export function passedSecrets({ envPass }: RunSettings, env: Environment): NamedSecret[] {
  return Object.entries(childEnvironment({ allowed: envPass, from: env })).flatMap(([name, value]) =>
    namedSecretsIn(name, value),
  );
}

/** Describes how commands run. Environment variables by name only: their values may be secrets. */
export async function describeRunning(running: RunSettings, folder?: string): Promise<DescribedLine[]> {
  const { env, envPass, workingDir, sandbox, limits, output, exitCodes } = running;
  const names = [...Object.keys(env), ...envPass];
  const lines: (readonly [string, string | undefined])[] = [
    ['cwd', workingDir ?? folder],
    ['env', names.length === 0 ? undefined : names.join(', ')],
    ['sandbox', sandbox && (sandbox.network ? 'bwrap, with network' : 'bwrap')],
    ['limits', limits && (await describeLimits(limits))],
    ['output', output?.type],
    ['progress', running.progress],
    ['exit', Object.keys(exitCodes).length === 0 ? undefined : describeCodes(exitCodes)],
  ];
  return lines.flatMap(([label, text]): DescribedLine[] => (text === undefined ? [] : [[label, text]]));
}

/** `1: nothing matches, 2: error, the pattern is wrong` */
function describeCodes(exitCodes: RunSettings['exitCodes']): string {
  return Object.entries(exitCodes)
    .map(([code, meaning]) => {
      if (typeof meaning === 'string') return `${code}: ${meaning}`;
      return `${code}: error, ${meaning.error}${meaning.retry === true ? ' (may be tried again)' : ''}`;
    })
    .join(', ');
}

async function describeLimits(limits: CommandLimits): Promise<string> {
  const { formatLimit } = await import('../../platform/process/command-limits.ts');
  const names = ['cpu', 'memory', 'processes', 'fileSize'] as const;
  return names
    .flatMap((name) => {
      const value = limits[name];
      return value === undefined ? [] : [formatLimit(name, value)];
    })
    .join(', ');
}

/** Quotes a word like a shell, so that spaces are visible. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./{}<>[\]~-]+$/.test(word) ? word : JSON.stringify(word);
}

/** Returns what commands need on this machine; each step is a program and its folder. */
export function findRunningNeeds(
  { envPass, programFolder, sandbox, limits }: RunSettings,
  steps: readonly { readonly program: string; readonly folder: string | undefined }[],
  cwd: string,
): DoctorFinding[] {
  return [
    ...steps.map(({ program, folder }): DoctorFinding => {
      if (!program.includes('/') || isAbsolute(program)) return { need: 'command', name: program };
      const path = relative(cwd, resolve(folder ?? programFolder ?? cwd, program));
      return { need: 'command', name: path.includes('/') ? path : `./${path}` };
    }),
    // A pattern names no single variable.
    ...envPass.filter((name) => !/[*?]/.test(name)).map((name): DoctorFinding => ({ need: 'variable', name })),
    ...(sandbox === undefined ? [] : [{ need: 'sandbox' as const, folders: [...sandbox.read, ...sandbox.write] }]),
    ...(limits === undefined ? [] : [{ need: 'limits' as const }]),
  ];
}

/** Returns the output schema of a tool with parsed output; none for JSON that its entry does not describe. */
export function outputSchemaOf(output: OutputStyle | undefined): { outputSchema?: JsonSchema } {
  if (output === undefined) return {};
  if (output.type === 'json') return output.schema === undefined ? {} : { outputSchema: output.schema };
  const [name, items] =
    output.type === 'lines'
      ? ['lines', { type: 'string' }]
      : ['rows', output.type === 'jsonl' ? {} : { type: 'object', additionalProperties: { type: 'string' } }];
  return {
    outputSchema: {
      type: 'object',
      properties: {
        [name]: { type: 'array', items },
        truncated: { type: 'boolean', description: 'Whether more was printed' },
      },
      required: [name],
      additionalProperties: false,
    },
  };
}

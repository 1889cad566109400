import type { z } from 'zod';
import type { ToolMetadata } from '../../tool/tool-metadata.ts';
import type { cliArgument, cliTool } from '../../kinds/cli/schema.ts';
import type { CliArgument, McpEntry, RunSettings, SandboxSettings, ToolEntry } from '../../kinds/tool-entry.ts';
import type { CommandLimits } from '../../platform/process/command-limits.ts';
import { RAG_OPERATIONS } from '../../kinds/rag/rag-tool-config.ts';
import { checkCommandText } from '../check-command-text.ts';
import type { FileContext } from '../file-context.ts';
import { faultyTools } from '../sound-parts.ts';
import { parseDuration } from '../parse-duration.ts';
import type { boardFile } from '../schema/board-schema.ts';
import { toObjectSchema } from './read-ctx.ts';

/** A board file, checked against its schema. */
type BoardFile = z.input<typeof boardFile>;
type BoardTool = NonNullable<BoardFile['tools']>[number];
type Running = Pick<
  z.input<typeof cliTool>,
  'env' | 'env_pass' | 'working_dir' | 'sandbox' | 'limits' | 'output' | 'exit_codes'
>;

/** Turns the tools of a board file into entries. */
export function readBoardTools(config: BoardFile, source: string, context: FileContext): ToolEntry[] {
  for (const agent of Object.values(config.agents ?? {})) context.addSecrets('api_key', agent.api_key ?? '');
  const faulty = faultyTools(context.diagnostics);
  const off = new Set(context.off.flatMap(({ type, path }) => (type === 'tool' ? [path[1]] : [])));
  return (config.tools ?? []).flatMap((tool, index): ToolEntry[] => {
    if (faulty.has(index) || off.has(index)) return [];
    const path = ['tools', index];
    const base = { file: context.yaml.file, path, metadata: readMetadata(tool, config, source), paths: tool.paths };
    switch (tool.type) {
      case 'cli':
        return [
          {
            ...base,
            paths: tool.paths ?? [],
            type: 'cli',
            command: readCommand(tool.command, { context, path: [...path, 'command'] }),
            args: (tool.args ?? []).map(readArgument),
            confirmation:
              tool.confirm_message === undefined ? undefined : { message: tool.confirm_message, resolve: {} },
            trailing: [],
            separator: tool.separator,
            running: readRunning(tool, config, context),
          },
        ];
      case 'run':
        return [
          {
            ...base,
            paths: tool.paths ?? [],
            type: 'run',
            schema: toObjectSchema(tool.schema),
            commands: tool.commands.map((command) => ({
              cmd: command.cmd,
              args: (command.args ?? []).map((arg) =>
                typeof arg === 'object'
                  ? { text: arg.name, when: arg.when === undefined ? undefined : String(arg.when) }
                  : { text: String(arg), when: undefined },
              ),
              workingDir: command.workingDir,
              env: toTexts(command.env),
              when: command.when === undefined ? undefined : String(command.when),
            })),
            running: readRunning(tool, config, context),
          },
        ];
      case 'http':
        return [
          {
            ...base,
            type: 'http',
            schema: toObjectSchema(tool.schema),
            requests: tool.requests.map((request) => ({
              url: request.url,
              method: (request.method ?? 'GET').toUpperCase(),
              headers: toTexts(request.headers),
              query: request.query ?? {},
              body: request.body,
              form: request.form === undefined ? undefined : toTexts(request.form),
            })),
            redirects: tool.redirects ?? 'same-origin',
            allowHosts: tool.allow_hosts ?? [],
          },
        ];
      case 'rag':
        return [{ ...base, type: 'rag', collection: tool.collection, operations: tool.operations ?? RAG_OPERATIONS }];
      case 'script':
        return [{ ...base, type: 'script', script: tool.file }];
      case 'mcp':
        return [readMcpTool(tool, base)];
    }
  });
}

function readMetadata(tool: BoardTool, config: BoardFile, source: string): ToolMetadata {
  const tags = [...new Set([...(config.tags ?? []), ...(tool.tags ?? [])])];
  const category = tool.category ?? config.category;
  const defined = {
    category,
    tags: tags.length === 0 ? undefined : tags,
    risk: tool.risk ?? 'write',
    ...(tool.title === undefined ? {} : { displayName: tool.title }),
    ...(tool.icon === undefined ? {} : { icons: [{ src: tool.icon }] }),
    timeout: tool.timeout === undefined ? undefined : parseDuration(tool.timeout) || undefined,
    concurrency: tool.concurrency,
    retries: tool.retries,
    maxOutput: tool.max_output,
    examples: tool.examples,
    utterances: tool.utterances,
    usageNotes: tool.usage_notes,
    limitations: tool.limitations,
    deprecated: tool.deprecated === undefined ? undefined : tool.deprecated !== false,
    replacedBy: typeof tool.deprecated === 'string' ? tool.deprecated : undefined,
  };
  // A script's tools have names and descriptions of their own.
  const metadata = { name: tool.name ?? 'script', description: (tool.description ?? 'Script').trim(), source };
  return Object.assign(
    metadata,
    Object.fromEntries(Object.entries(defined).filter(([, value]) => value !== undefined)),
  );
}

/** What the entry does not say about the tool, the server does. */
function readMcpTool(
  tool: BoardTool & { readonly type: 'mcp' },
  base: Pick<McpEntry, 'file' | 'path' | 'metadata' | 'paths'>,
): McpEntry {
  const { description, risk, ...rest } = base.metadata;
  const given = {
    ...rest,
    ...(tool.description === undefined ? {} : { description }),
    ...(tool.risk === undefined || risk === undefined ? {} : { risk }),
  };
  return { ...base, type: 'mcp', server: tool.server, tool: tool.tool ?? tool.name, given };
}

/** A text is split at blanks; what only a shell would understand in it is an error. */
function readCommand(
  command: string | readonly string[],
  { context, path }: { readonly context: FileContext; readonly path: readonly (string | number)[] },
): readonly string[] {
  if (typeof command !== 'string') return command;
  const fault = checkCommandText(command);
  if (fault !== undefined) context.add('error', path, fault);
  return command.split(/\s+/).filter((word) => word !== '');
}

function readArgument(arg: z.input<typeof cliArgument>): CliArgument {
  return {
    name: arg.name,
    description: arg.description,
    type: arg.type ?? 'string',
    required: arg.required ?? false,
    default: arg.default ?? undefined,
    enum: arg.enum,
    pattern: arg.pattern,
    flag: arg.flag,
    style: arg.style ?? 'joined',
    place: arg.cwd === true ? 'cwd' : arg.stdin === true ? 'stdin' : arg.positional === true ? 'positional' : 'flag',
    isPath: arg.path === true || arg.cwd === true,
  };
}

function readRunning(tool: Running, config: BoardFile, context: FileContext): RunSettings {
  const env = { ...toTexts(config.env), ...toTexts(tool.env) };
  for (const [name, value] of Object.entries(env)) context.addSecrets(name, value);
  return {
    env,
    envPass: tool.env_pass ?? [],
    workingDir: tool.working_dir,
    sandbox: readSandbox(tool.sandbox),
    limits: readLimits(tool.limits),
    output: tool.output ?? 'text',
    exitCodes: tool.exit_codes ?? {},
  };
}

function readSandbox(sandbox: Running['sandbox']): SandboxSettings | undefined {
  if (sandbox === undefined) return undefined;
  const given = sandbox === 'bwrap' ? { type: 'bwrap' as const } : sandbox;
  return { network: given.network ?? false, read: given.read ?? [], write: given.write ?? [] };
}

function readLimits(limits: Running['limits']): CommandLimits | undefined {
  if (limits === undefined) return undefined;
  const { cpu, memory, processes, file_size: fileSize } = limits;
  return {
    cpu: cpu === undefined ? undefined : Math.max(1, Math.ceil(parseDuration(cpu) / 1000)),
    memory: memory === undefined ? undefined : parseSize(memory),
    processes,
    fileSize: fileSize === undefined ? undefined : parseSize(fileSize),
  };
}

const UNITS: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** Bytes of a size in a config file. */
function parseSize(value: number | string): number {
  if (typeof value === 'number') return value;
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*(KB|MB|GB)$/.exec(value) ?? [];
  // The schema lets only such texts through.
  return Math.round(Number(amount) * (UNITS[unit] ?? 1));
}

function toTexts(values: Readonly<Record<string, string | number | boolean>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

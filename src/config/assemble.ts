import { resolve, dirname } from 'node:path';
import { isPlainObject } from '../core/json.ts';
import { ToolError } from '../core/tool-error.ts';
import type { Tool } from '../core/tool.ts';
import type { CallGuard } from '../execute/executor-options.ts';
import { redactData } from '../execute/redact.ts';
import type { HttpClient } from '../http/http-client.ts';
import { parseTemplate } from '../http/template.ts';
import { confirmMessage } from '../kinds/cli/confirm-message.ts';
import { type DryRun, dryRun } from '../kinds/dry-run.ts';
import type { Knowledge } from '../rag/knowledge.ts';
import { outputTools } from '../kinds/output-tools.ts';
import { checkEntry, toTools } from '../kinds/to-tools.ts';
import type { ToolEntry } from '../kinds/tool-entry.ts';
import type { ApprovalRequest } from '../policy/guard.ts';
import { childEnvironment } from '../process/child-environment.ts';
import type { OutputStore } from '../process/output-store.ts';
import { findSandboxProblem } from '../process/sandbox.ts';
import { applyPolicy } from './apply-policy.ts';
import { checkEmbedder } from './check-embedder.ts';
import { containerPrefix } from './container-prefix.ts';
import { createHost } from './create-host.ts';
import { baseFolder, dataFolder } from './data-folder.ts';
import { ConfigError, type Diagnostic } from './diagnostic.ts';
import { secretsIn } from './interpolate.ts';
import type { LoadedConfig } from './load-config.ts';
import type { LoadedFile } from './loaded-file.ts';
import type { KnowledgePools } from './knowledge-pools.ts';
import { knowledgeSecrets, readKnowledge } from './read-knowledge.ts';
import { secretForms } from './secret-forms.ts';

/** A board's tools and everything that hangs on them, from one reading of its files. */
export interface Assembly {
  readonly files: readonly LoadedFile[];
  readonly diagnostics: readonly Diagnostic[];
  readonly tools: readonly Tool[];
  readonly secrets: readonly string[];
  /** The folder for what the board keeps. */
  readonly data: string;
  readonly guard: CallGuard | undefined;
  /** The collections of the files. */
  knowledge(): Promise<Knowledge>;
  /** Absolute paths of all that a change in would matter. */
  readonly watched: readonly string[];
  dryRun(name: string, args: unknown): Promise<DryRun>;
  close(): Promise<void>;
}

interface AssembleOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The folder that the caller wants things kept in. */
  readonly data: string | undefined;
  readonly allowHosts: readonly string[];
  readonly outputs: OutputStore;
  readonly pools: KnowledgePools;
  readonly approve: ((request: ApprovalRequest) => boolean | Promise<boolean>) | undefined;
}

const MAX_WARNINGS = 200;
let versions = 0;

/** Makes the tools of loaded files. Throws a `ConfigError` with every fault when there is any. */
export async function assemble(config: LoadedConfig, options: AssembleOptions): Promise<Assembly> {
  const diagnostics: Diagnostic[] = [...config.diagnostics];
  const entries = collect(config.files, diagnostics);
  for (const { entry, file } of entries.values()) {
    // Files of other people keep loading; their authors are told.
    const severity = file.dialect === 'climax' ? 'warning' : 'error';
    for (const { path, message } of checkEntry(entry)) {
      diagnostics.push({ ...complain(file, [...entry.path, ...path], message), severity });
    }
  }
  diagnostics.push(...(await checkSandbox(entries.values())));
  const knowledge = readKnowledge(config.files);
  diagnostics.push(...knowledge.diagnostics);
  throwErrors(diagnostics);
  const clients = new Map<string, HttpClient>();
  const stop = new AbortController();
  const secrets = secretForms([
    ...collectSecrets(config.files, entries.values(), options.env),
    ...knowledgeSecrets(knowledge.plan.collections.values()),
  ]);
  const host = createHost(options, clients, {
    data: dataFolder(config.files, options),
    prefix: containerPrefix(config.files, options.env),
    closed: stop.signal,
    plan: knowledge.plan,
    base: baseFolder(config.files, options.cwd),
  });
  const version = String(++versions);
  const tools = new Map<string, { readonly tool: Tool; readonly entry: ToolEntry }>();
  for (const { entry, file } of entries.values()) {
    try {
      const ready = withAbsolutePaths(entry, file, options.cwd);
      for (const tool of await toTools(ready, host, version)) {
        tools.set(tool.metadata.name, { tool, entry: ready });
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      diagnostics.push(
        complain(file, entry.path, error instanceof ToolError ? message : `cannot be loaded: ${message}`),
      );
    }
  }
  throwErrors(diagnostics);
  const made = [...tools.values()].map(({ tool }) => tool);
  const taken = made.find(({ metadata }) => metadata.name === 'output_read' || metadata.name === 'output_search');
  const needsOutputs =
    [...tools.values()].some(({ entry }) => entry.type === 'cli' || entry.type === 'run') && taken === undefined;
  const all = needsOutputs ? [...made, ...outputTools(options.outputs)] : made;
  const policy = await applyPolicy(config.files, all, {
    cwd: options.cwd,
    approve: options.approve,
    folderOf: (tool, args) => folderOf(tools.get(tool.metadata.name)?.entry, args, options.cwd),
    pathArguments: (tool) => pathArguments(tools.get(tool.metadata.name)?.entry),
    confirmMessage: (request) => confirmMessage(tools.get(request.tool.metadata.name)?.entry, request, host),
  });
  diagnostics.push(...policy.diagnostics, ...checkEmbedder(config.files));
  throwErrors(diagnostics);
  return {
    files: config.files,
    diagnostics,
    tools: policy.tools,
    secrets,
    data: host.data,
    knowledge: () => host.knowledge(),
    guard: policy.guard,
    watched: config.files.map(({ file }) => resolve(options.cwd, file)),
    dryRun: async (name, args) => {
      const run = await dryRun(tools.get(name), args, { name, host });
      // What it prints is for people; the secrets in it are not.
      return redactData(run, secrets) as DryRun;
    },
    close: async () => {
      stop.abort();
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}

/** Entries by name: the last file wins, with a warning that names both. */
function collect(
  files: readonly LoadedFile[],
  diagnostics: Diagnostic[],
): Map<string, { entry: ToolEntry; file: LoadedFile }> {
  const entries = new Map<string, { entry: ToolEntry; file: LoadedFile }>();
  for (const file of files) {
    for (const entry of file.entries) {
      const { name } = entry.metadata;
      const key = entry.type === 'script' ? `${file.file}#${entry.path.join('.')}` : name;
      const earlier = entries.get(key);
      if (earlier !== undefined && diagnostics.length < MAX_WARNINGS) {
        const message = `the tool "${name}" stands in ${earlier.file.file} too; this one is used.`;
        diagnostics.push({ ...complain(file, entry.path, message), severity: 'warning' });
      }
      // Deleting first keeps the order of the file that wins.
      entries.delete(key);
      entries.set(key, { entry, file });
    }
  }
  return entries;
}

/** Paths in a file are relative to the file; CLImax means the folder it is started in. */
function withAbsolutePaths(entry: ToolEntry, file: LoadedFile, cwd: string): ToolEntry {
  const folder = file.dialect === 'climax' ? cwd : dirname(resolve(cwd, file.file));
  if (entry.type === 'script') return { ...entry, script: resolve(folder, entry.script) };
  if (entry.type !== 'cli' && entry.type !== 'run') return entry;
  const { workingDir } = entry.running;
  const running = { ...entry.running, workingDir: workingDir === undefined ? undefined : resolve(folder, workingDir) };
  if (entry.type === 'cli') return { ...entry, running };
  const commands = entry.commands.map((command) =>
    command.workingDir === undefined ? command : { ...command, workingDir: resolve(folder, command.workingDir) },
  );
  return { ...entry, commands, running };
}

/** What the files know as secret, and what their commands are handed from the environment under a secret's name. */
function collectSecrets(
  files: readonly LoadedFile[],
  entries: Iterable<{ readonly entry: ToolEntry }>,
  env: AssembleOptions['env'],
): Set<string> {
  const secrets = new Set(files.flatMap((file) => file.secrets()));
  for (const { entry } of entries) {
    if (!('running' in entry)) continue;
    const passed = childEnvironment({ allowed: entry.running.envPass, from: env });
    for (const [name, value] of Object.entries(passed))
      for (const secret of secretsIn(name, value)) secrets.add(secret);
  }
  return secrets;
}

/** A tool that asks for a sandbox must not run without one. */
async function checkSandbox(entries: Iterable<{ entry: ToolEntry; file: LoadedFile }>): Promise<Diagnostic[]> {
  const boxed = [...entries].filter(({ entry }) => 'running' in entry && entry.running.sandbox !== undefined);
  const problem = boxed.length === 0 ? undefined : await findSandboxProblem();
  if (problem === undefined) return [];
  return boxed.map(({ entry, file }) => complain(file, [...entry.path, 'sandbox'], problem));
}

function folderOf(entry: ToolEntry | undefined, args: Readonly<Record<string, unknown>>, cwd: string): string {
  if (entry?.type !== 'cli') return cwd;
  const given = entry.args.find(({ place }) => place === 'cwd');
  const value = given === undefined ? undefined : args[given.name];
  const folder = resolve(cwd, entry.running.workingDir ?? '.');
  return typeof value === 'string' ? resolve(cwd, value) : folder;
}

/** The arguments that are paths: marked so, named in a working folder, or `format: path` in a schema. */
function pathArguments(entry: ToolEntry | undefined): string[] {
  if (entry?.type === 'cli') return entry.args.filter(({ isPath }) => isPath).map(({ name }) => name);
  if (entry?.type !== 'run') return [];
  const { properties } = entry.schema;
  const marked = Object.entries(isPlainObject(properties) ? properties : {})
    .filter(([, property]) => isPlainObject(property) && property['format'] === 'path')
    .map(([name]) => name);
  const folders = entry.commands.flatMap(({ workingDir }) => parseTemplate(workingDir ?? '').placeholders);
  return [...new Set([...marked, ...folders.map(({ name }) => name)])];
}

function complain(file: LoadedFile, path: readonly (string | number)[], message: string): Diagnostic {
  return { severity: 'error', file: file.file, path, message, place: file.locate(path) };
}

function throwErrors(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.some(({ severity }) => severity === 'error')) throw new ConfigError(diagnostics);
}

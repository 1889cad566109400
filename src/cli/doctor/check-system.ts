import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { CliContext } from '../cli-context.ts';
import type { Check } from './check.ts';

const LEAST_NODE = [22, 13] as const;

/** Whether Node is new enough. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  const detail = isEnough ? version : `${version}; needs ${LEAST_NODE.join('.')} or later`;
  return { kind: 'node', name: 'node', status: isEnough ? 'ok' : 'missing', detail, tools: [] };
}

/** Whether command lines can be sandboxed, and the folders they are given are there, where a tool asks for it. */
export async function checkSandbox(files: readonly LoadedFile[], { cwd }: CliContext): Promise<Check[]> {
  const entries = files.flatMap(({ file, entries: own }) => own.map((entry) => ({ entry, file })));
  const boxed = entries.flatMap(({ entry, file }) => {
    const sandbox = entry.type === 'cli' || entry.type === 'run' ? entry.running.sandbox : undefined;
    return sandbox === undefined
      ? []
      : [
          {
            name: entry.metadata.name,
            folders: [...sandbox.read, ...sandbox.write].map((path) => resolve(cwd, dirname(file), path)),
          },
        ];
  });
  const tools = boxed.map(({ name }) => name);
  if (tools.length === 0) return [];
  const { findSandboxProblem, describeSandbox } = await import('../../platform/process/sandbox.ts');
  const problem = await findSandboxProblem();
  const status = problem === undefined ? 'ok' : 'missing';
  const gone = [...new Set(boxed.flatMap(({ folders }) => folders))].filter((folder) => !existsSync(folder));
  return [
    { kind: 'sandbox', name: 'bwrap', status, detail: problem ?? describeSandbox(), tools },
    ...gone.map((folder): Check => {
      const users = boxed.filter(({ folders }) => folders.includes(folder)).map(({ name }) => name);
      return { kind: 'sandbox', name: folder, status: 'missing', detail: 'is not there', tools: users };
    }),
  ];
}

/** What holds the limits of commands, where a tool has some. */
export async function checkLimits(files: readonly LoadedFile[]): Promise<Check[]> {
  const entries = files.flatMap((file) => file.entries);
  const tools = entries
    .filter((entry) => (entry.type === 'cli' || entry.type === 'run') && entry.running.limits !== undefined)
    .map(({ metadata }) => metadata.name);
  if (tools.length === 0) return [];
  const { describeLimits, findLimitsProblem } = await import('../../platform/process/command-limits.ts');
  const status = (await findLimitsProblem()) === undefined ? 'ok' : 'missing';
  return [{ kind: 'limits', name: 'prlimit', status, detail: await describeLimits(), tools }];
}

/** How what commands start is found and ended on this system. */
export async function checkProcesses(files: readonly LoadedFile[]): Promise<Check[]> {
  const startsSome = files.some(
    ({ entries, mcpServers }) =>
      Object.keys(mcpServers).length > 0 || entries.some(({ type }) => type === 'cli' || type === 'run'),
  );
  if (!startsSome) return [];
  const { describeTracking } = await import('../../platform/process/trees/call-mark.ts');
  return [{ kind: 'processes', name: 'found by', status: 'ok', detail: describeTracking(), tools: [] }];
}

/** Whether the files of script tools are there. */
export function checkScripts(files: readonly LoadedFile[], { cwd }: CliContext): Check[] {
  return files.flatMap(({ file, entries }) =>
    entries.flatMap((entry): Check[] => {
      if (entry.type !== 'script') return [];
      const isThere = existsSync(resolve(cwd, dirname(file), entry.script));
      const status = isThere ? 'ok' : 'missing';
      return [
        { kind: 'script', name: entry.script, status, detail: isThere ? 'found' : 'is not there', tools: [file] },
      ];
    }),
  );
}

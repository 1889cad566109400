import { serversIn } from '../../../features/servers/server-sections.ts';
import { existsSync } from 'node:fs';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import type { Check, ToolNeed } from './check.ts';

const LEAST_NODE = [22, 13] as const;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  const detail = isEnough ? version : `${version}; needs ${LEAST_NODE.join('.')} or later`;
  return { kind: 'node', name: 'node', status: isEnough ? 'ok' : 'missing', detail, tools: [] };
}

/** Checks that command lines can be sandboxed and that the sandbox's folders exist, if a tool uses it. */
export async function checkSandbox(needed: readonly ToolNeed[]): Promise<Check[]> {
  const boxed = needed.flatMap(({ tool, finding }) =>
    finding.need === 'sandbox' ? [{ tool, folders: finding.folders }] : [],
  );
  const tools = boxed.map(({ tool }) => tool);
  if (tools.length === 0) return [];
  const { findSandboxProblem, describeSandbox } = await import('../../../platform/process/sandbox.ts');
  const problem = await findSandboxProblem();
  const status = problem === undefined ? 'ok' : 'missing';
  const gone = [...new Set(boxed.flatMap(({ folders }) => folders))].filter((folder) => !existsSync(folder));
  return [
    { kind: 'sandbox', name: 'bwrap', status, detail: problem ?? describeSandbox(), tools },
    ...gone.map((folder): Check => {
      const users = boxed.filter(({ folders }) => folders.includes(folder)).map(({ tool }) => tool);
      return { kind: 'sandbox', name: folder, status: 'missing', detail: 'does not exist', tools: users };
    }),
  ];
}

/** Checks the program that enforces limits of commands, if a tool has limits. */
export async function checkLimits(needed: readonly ToolNeed[]): Promise<Check[]> {
  const tools = needed.flatMap(({ tool, finding }) => (finding.need === 'limits' ? [tool] : []));
  if (tools.length === 0) return [];
  const { describeLimits, findLimitsProblem } = await import('../../../platform/process/command-limits.ts');
  const status = (await findLimitsProblem()) === undefined ? 'ok' : 'missing';
  return [{ kind: 'limits', name: 'prlimit', status, detail: await describeLimits(), tools }];
}

/** Reports how child processes of commands are found on this system. */
export async function checkProcesses(files: readonly LoadedFile[], needed: readonly ToolNeed[]): Promise<Check[]> {
  const hasServers = files.some((file) => Object.keys(serversIn(file)).length > 0);
  if (!hasServers && !needed.some(({ finding }) => finding.need === 'command')) return [];
  const { describeTracking } = await import('../../../platform/process/trees/call-mark.ts');
  return [{ kind: 'processes', name: 'found by', status: 'ok', detail: describeTracking(), tools: [] }];
}

/** Collects the checks that kinds made themselves, such as files of scripts and databases. */
export function checkOwn(needed: readonly ToolNeed[]): Check[] {
  return needed.flatMap(({ tool, finding }): Check[] => {
    if (finding.need !== 'own') return [];
    const { need: _, ...check } = finding;
    return [{ ...check, tools: [tool] }];
  });
}

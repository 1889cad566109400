import { basename } from 'node:path';
import { ConfigError, type Diagnostic, formatDiagnostic } from '../../../load/diagnostics/diagnostic.ts';
import { describeChange } from '../../../board/assembly/lock-gate.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { openBoard } from '../../../board/open-board.ts';
import type { Board } from '../../../board/board.ts';
import type { CliContext } from '../../cli-context.ts';
import type { Check } from './check.ts';

interface ServerCheckOptions {
  readonly names: readonly string[];
  /** Whether servers may be started. */
  readonly online: boolean;
}

/** How the MCP servers are doing, and what the lock and a look at every tool's texts say. Starts servers only when online. */
export async function checkBoard(
  files: readonly LoadedFile[],
  { names, online }: ServerCheckOptions,
  { cwd, env }: CliContext,
): Promise<Check[]> {
  let board: Board;
  try {
    board = await openBoard(names, { cwd, env, ...(online ? { eager: true } : { servers: 'cached' }) });
  } catch (error) {
    // Files that are right one by one may not fit together.
    return error instanceof ConfigError ? checkFaults(error.diagnostics) : [];
  }
  try {
    const logins = await checkLogins(board);
    return [...checkServers(board, files, online), ...logins, ...checkLock(board), ...checkTexts(board)];
  } finally {
    await board.close();
  }
}

/** The errors of files, each on one line. */
export function checkFaults(diagnostics: readonly Diagnostic[]): Check[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return errors.map((fault): Check => {
    const [detail = ''] = formatDiagnostic(fault).split('\n', 1);
    return { kind: 'config', name: fault.file, status: 'missing', detail, tools: [] };
  });
}

function checkServers(board: Board, files: readonly LoadedFile[], online: boolean): Check[] {
  const configured = new Set(files.flatMap(({ mcpServers }) => Object.keys(mcpServers)));
  return board.servers
    .filter(({ name }) => configured.has(name))
    .map(({ name, offered, state, failure }): Check => {
      const base = { kind: 'server', name, tools: [] } as const;
      const count = offered === undefined ? 'its tools are not known yet' : `${offered} tools`;
      const failed = failure?.message.split('\n', 1)[0]?.replace(/\.$/, '');
      if (!online) {
        const known = offered === undefined ? '; pegboard doctor --online starts it' : ', not started';
        const hint = failed === undefined ? known : `${known}; when it was last started: ${failed}`;
        const isWell = offered !== undefined && failed === undefined;
        return { ...base, status: isWell ? 'ok' : 'warning', detail: `${count}${hint}` };
      }
      if (state === 'running') return { ...base, status: 'ok', detail: `${count}, answers` };
      const detail = failed?.replace('. It said: ', '; it said: ') ?? 'does not answer';
      return { ...base, status: 'missing', detail };
    });
}

async function checkLogins(board: Board): Promise<Check[]> {
  return (await board.logins()).map(({ name, grant, isReady, tools }): Check => {
    const detail = isReady ? `${grant}, logged in` : `wants a login; run pegboard login ${name}`;
    return { kind: 'login', name, status: isReady ? 'ok' : 'missing', detail, tools };
  });
}

function checkLock({ lock }: Board): Check[] {
  if (lock.state === 'absent') return [];
  const base = { kind: 'lock', name: basename(lock.file), tools: [] } as const;
  if (lock.state === 'broken') return [{ ...base, status: 'warning', detail: `cannot be used; run ${lock.command}` }];
  const changes = lock.changes.map((change): Check => {
    return { ...base, status: 'warning', detail: describeChange(change).split('\n', 1)[0] ?? '', tools: [change.name] };
  });
  return changes.length > 0 ? changes : [{ ...base, status: 'ok', detail: 'every tool is what it says' }];
}

function checkTexts({ lock }: Board): Check[] {
  return [...lock.findings].flatMap(([tool, findings]) =>
    findings.map(({ where, kind, what }): Check => {
      return { kind: 'text', name: tool, status: 'warning', detail: `${kind} in ${where}: ${what}`, tools: [] };
    }),
  );
}

import { serversIn } from '../../../features/servers/server-sections.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { basename } from 'node:path';
import { ConfigError, type Diagnostic, formatDiagnostic } from '../../../load/diagnostics/diagnostic.ts';
import { describeChange } from '../../../features/lock/describe-change.ts';
import { type BoardMode, NOT_TRUSTED } from '../../../load/board-mode.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { openBoard } from '../../../board/open-board.ts';
import type { Board } from '../../../board/board.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import type { Check } from './check.ts';

interface ServerCheckOptions {
  readonly names: readonly string[];
  /** Allows starting servers. */
  readonly online: boolean;
  readonly mode: BoardMode;
  /** Acknowledges changes in the texts of servers. */
  readonly acknowledge: boolean;
}

/** Checks the MCP servers, the lock and the texts of all tools. Starts servers only when online. */
export async function checkBoard(
  files: readonly LoadedFile[],
  { names, online, mode, acknowledge }: ServerCheckOptions,
  { cwd, env }: CliContext,
): Promise<Check[]> {
  let board: Board;
  try {
    board = await openBoard(names, { cwd, env, mode, ...(online ? { eager: true } : { servers: 'cached' }) });
  } catch (error) {
    // Files that are valid one by one may conflict with each other.
    return error instanceof ConfigError ? checkFaults(error.diagnostics) : [];
  }
  try {
    const logins = await checkLogins(board);
    const changed = checkChanges(board);
    if (acknowledge) for (const server of board.servers) server.markSeen();
    return [
      ...(await checkWaitingChange(board)),
      ...checkLeftOut(board),
      ...checkServers(board, files, online),
      ...(acknowledge ? [] : changed),
      ...logins,
      ...checkLock(board),
      ...checkTexts(board),
      ...(await checkFeatures(board)),
    ];
  } finally {
    await board.close();
  }
}

/** Collects the findings of features; a feature that fails is reported. */
async function checkFeatures(board: Board): Promise<Check[]> {
  const found = board.features.map(async ({ feature, doctor }): Promise<Check[]> => {
    try {
      const findings = (await doctor?.()) ?? [];
      return findings.map(({ name, status, detail }) => ({ kind: feature.name, name, status, detail, tools: [] }));
    } catch (error) {
      return [{ kind: feature.name, name: 'doctor', status: 'warning', detail: messageOf(error), tools: [] }];
    }
  });
  return (await Promise.all(found)).flat();
}

/** Lists the errors of files, each on one line. */
export function checkFaults(diagnostics: readonly Diagnostic[]): Check[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return errors.map((fault): Check => {
    const [detail = ''] = formatDiagnostic(fault).split('\n', 1);
    return { kind: 'config', name: fault.file, status: 'missing', detail, tools: [] };
  });
}

/** Reports a change of the files that waits for a person. */
async function checkWaitingChange({ changes }: Board): Promise<Check[]> {
  return (await changes.list()).map(({ id, status }): Check => {
    const state = status === 'refused' ? 'was refused' : 'waits for a person';
    const detail = `${state}, so the running board uses the files from before. See it with: pegboard approvals show ${id}`;
    return { kind: 'config', name: id, status: 'warning', detail, tools: [] };
  });
}

/** Lists plugins and scripts that were not run, so that their needs are unknown. */
function checkLeftOut({ diagnostics }: Board): Check[] {
  return diagnostics
    .filter(({ message }) => message.includes(NOT_TRUSTED))
    .map(({ file, message }): Check => ({ kind: 'config', name: file, status: 'warning', detail: message, tools: [] }));
}

function checkServers(board: Board, files: readonly LoadedFile[], online: boolean): Check[] {
  const configured = new Set(files.flatMap((file) => Object.keys(serversIn(file))));
  return board.servers
    .filter(({ name }) => configured.has(name))
    .map(({ name, offered, state, failure }): Check => {
      const base = { kind: 'server', name, tools: [] } as const;
      const count = offered === undefined ? 'its tools are not known yet' : counted(offered, 'tool');
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

/** Lists changes in servers since they were last acknowledged. With a lock, the lock reports them. */
function checkChanges({ servers, lock }: Board): Check[] {
  if (lock.state === 'read') return [];
  return servers.flatMap(({ name, changes }): Check[] => {
    if (changes === undefined) return [];
    const detail = `describes its tools differently than before: ${changes}; check it, then run ${lock.command} or pegboard doctor --acknowledge`;
    return [{ kind: 'server', name, status: 'warning', detail, tools: [] }];
  });
}

async function checkLogins(board: Board): Promise<Check[]> {
  return (await board.logins()).map(({ name, grant, isReady, tools }): Check => {
    const detail = isReady ? `${grant}, logged in` : `needs a login; run pegboard login ${name}`;
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
  return changes.length > 0 ? changes : [{ ...base, status: 'ok', detail: 'all tools match' }];
}

function checkTexts({ lock }: Board): Check[] {
  return [...lock.findings].flatMap(([tool, findings]) =>
    findings.map(({ where, kind, what }): Check => {
      return { kind: 'text', name: tool, status: 'warning', detail: `${kind} in ${where}: ${what}`, tools: [] };
    }),
  );
}

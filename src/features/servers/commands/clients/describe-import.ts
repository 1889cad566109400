import { rootsNote } from '../../../../cli/shared/board/change-board.ts';
import { isClientName, MCP_CLIENTS } from '../../../../cli/shared/clients/clients.ts';
import type { CommandAnswer } from '../../../../cli/shared/command.ts';
import { toCell } from '../../../../cli/shared/print/columns.ts';
import { counted } from '../../../../tool/texts/counted.ts';
import { describeServer } from '../server-entry.ts';
import type { ClientFinding } from './find-client-servers.ts';
import type { PlannedImport } from './plan-import.ts';
import type { ReplacedFile } from './replace-servers.ts';

type Described = Pick<CommandAnswer, 'view' | 'notes'>;

/** Describes the servers that were found. */
export function describeFinding({ servers, skipped, faults, looked, known }: ClientFinding): Described {
  const files = looked.map((path) => `  ${path}`).join('\n');
  const none =
    skipped.length > 0
      ? 'There is nothing else to import.'
      : `No client has MCP servers. These files were searched:\n${files}`;
  return {
    view: (style, width) => {
      const rows = servers.map(({ name, clients, entry }) => [
        style.cyan(toCell(name)),
        clients.map(titleOf).join(', '),
        toCell(describeServer(entry)),
      ]);
      return width === Infinity ? rows.map((row) => row.join('\t')) : rows;
    },
    notes: ({ yellow }) => [
      ...[...new Set(servers.map((server) => server.file))].map((file) => `From ${file}`),
      ...skipped.map(({ name, file, reason }) =>
        `Skipped: ${toCell(name)} of ${file}: ${reason}.`.replace(/\.\.$/, '.'),
      ),
      ...faults.map(({ file, message }) => `${yellow('warning')} ${file} ${toCell(message)}`),
      ...(servers.length > 0 || known.length > 0 ? [] : [none]),
    ],
  };
}

/** Describes the files that an import of all servers would change. */
export function describePlan({ board, servers, replacing }: PlannedImport): CommandAnswer {
  const { file, workspace } = board;
  const gets = servers.length === 0 ? 'has all of these servers already' : `gets ${counted(servers.length, 'server')}`;
  const whose =
    workspace === undefined ? '' : ' (your board for all folders, as there is no pegboard.yaml here or above)';
  return {
    data: undefined,
    view: [`${file.shown} ${gets}${whose}`, ...(replacing?.files ?? []).map(describeFile)],
    notes: ({ yellow }) => (replacing?.warnings ?? []).map((warning) => `${yellow('warning')} ${warning}`),
  };
}

function describeFile({ file, loses, gets, copy, isProject }: ReplacedFile): string {
  const changes = [
    ...(loses.length === 0 ? [] : [`loses ${loses.map(toCell).join(', ')}`]),
    ...(gets === undefined ? [] : [`gets ${toCell(gets)}`]),
    ...(copy === undefined ? [] : [`copy: ${copy}`]),
    ...(isProject ? ['others may share this file'] : []),
  ];
  return `${file} ${changes.join('; ')}`;
}

/** Describes an import that was written. */
export function describeWritten(
  plan: PlannedImport,
  { found, isDry }: { readonly found: ClientFinding; readonly isDry: boolean },
): CommandAnswer {
  const { board, servers, toSet, hasValues, isRefused, replacing } = plan;
  const { shown, text } = board.file;
  const made = text === undefined ? ', a new file' : '';
  const hint = hasValues ? ' Their values are in the files above; --secrets file copies them.' : '';
  const faults = [...found.faults, ...(replacing?.faults ?? [])];
  const next =
    replacing === undefined ? 'Next: pegboard list --wait' : 'Restart the clients. To undo: pegboard uninstall';
  const changed = replacing === undefined ? '' : ` Changed ${counted(replacing.files.length, 'file')} of clients.`;
  return {
    data: {
      ...(isDry ? {} : { written: shown }),
      servers: servers.map(({ name, clients, file, entry }) => ({ name, clients, file, entry })),
      ...(replacing === undefined
        ? {}
        : { board: board.file.path, files: replacing.files, warnings: replacing.warnings }),
      set: toSet,
      skipped: found.skipped,
      faults,
    },
    view: isDry ? [] : `Wrote ${counted(servers.length, 'server')} to ${shown}${made}.${changed} ${next}`,
    notes: ({ yellow }) => [
      ...(isRefused ? [`${yellow('note')} ${rootsNote('each of these servers', shown)}`] : []),
      ...(replacing?.faults ?? []).map(({ file, message }) => `${yellow('warning')} ${file}: ${message}`),
      ...(toSet.length > 0 ? [`Set before you use them: ${toSet.join(', ')}.${hint}`] : []),
    ],
  };
}

/** Returns a client's name for people. */
export function titleOf(client: string): string {
  return isClientName(client) ? MCP_CLIENTS[client].title : client;
}

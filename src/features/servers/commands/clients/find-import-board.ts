import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { findBoardFile } from '../../../../cli/shared/board/change-board.ts';
import { tryFindConfig } from '../../../../cli/shared/board/find-config.ts';
import { formatPackBoard } from '../../../../cli/shared/board/starter-config.ts';
import type { CliContext } from '../../../../cli/shared/cli-context.ts';
import type { ChangedFile } from '../../../../load/change-file.ts';
import { START_FOLDER } from '../../../../load/variables/fill-file.ts';
import { withPolicy } from '../mcp-add.ts';
import { serversOf } from '../server-entry.ts';

/** The board that imported servers are added to. */
export interface ImportBoard {
  readonly file: ChangedFile;
  readonly folder: string;
  readonly servers: Readonly<Record<string, unknown>>;
  /** The folder of a client's window, for a board of all folders. */
  readonly workspace?: string;
}

interface BoardOptions {
  readonly command: string;
  readonly isAll: boolean;
}

/** Finds the board of an import: the given one, the nearest, or a new one in this folder; for all servers the user's own. */
export function findImportBoard(
  files: readonly string[],
  { command, isAll }: BoardOptions,
  context: CliContext,
): ImportBoard {
  if (!isAll || files.length > 0 || tryFindConfig([], context) !== undefined)
    return toImportBoard(withPolicy(findBoardFile(files, command, context)));
  const config = context.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  const file = findBoardFile([join(config, 'pegboard/pegboard.yaml')], command, context);
  const workspace = `\${${START_FOLDER}}`;
  const policy = formatPackBoard('pegboard', { sections: ['mcpServers'], hasRoots: false });
  const fresh = `${policy}\n# Servers start in the folder in which a client starts the board.\nworking_dir: ${workspace}\n`;
  return { ...toImportBoard({ ...file, fresh }), workspace };
}

function toImportBoard(file: ChangedFile): ImportBoard {
  return { file, folder: dirname(file.path), servers: serversOf(file) };
}

import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPrivateFolder, removeStaleFolders } from '../../platform/outputs/private-folder.ts';
import { onProcessExit } from '../../platform/process/on-process-exit.ts';
import { watchFolder } from '../../platform/process/trees/board-watcher.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { KindHost } from '../kind.ts';
import type { FileStyle } from './run-settings.ts';
import { decodeContents } from './run-command.ts';

type Values = Readonly<Record<string, unknown>>;

/** A file for a call's command. */
interface CallFile {
  /** Its name in the folder of the call. */
  readonly name: string;
  readonly contents: string | Uint8Array;
}

/** A call whose arguments name files instead of containing their contents. */
interface PlacedFiles {
  readonly values: Values;
  readonly folder: string;
  readonly files: readonly CallFile[];
}

/** The same for a call that may have no files. */
export type DescribedFiles = Pick<PlacedFiles, 'values' | 'files'> & Partial<Pick<PlacedFiles, 'folder'>>;

/** Stands for the folder of a call that is only described. */
const NO_FOLDER = '<files>';

/** Returns a call as its command would get it, without writing files. */
export function describeFiles(
  styles: Readonly<Record<string, FileStyle>>,
  values: Values,
  host: Pick<KindHost, 'prefix'>,
): PlacedFiles {
  refuseContainer(host);
  return placeFiles(styles, values, NO_FOLDER);
}

/** Writes the files of a call, and deletes them after the work. Only this user may read them. */
export async function withFiles<T>(
  call: {
    readonly styles: Readonly<Record<string, FileStyle>>;
    readonly values: Values;
    readonly host: Pick<KindHost, 'prefix'>;
  },
  work: (placed: PlacedFiles) => Promise<T>,
): Promise<T> {
  refuseContainer(call.host);
  const placed = placeFiles(call.styles, call.values, join(ownFolder(), randomBytes(9).toString('base64url')));
  const { folder, files } = placed;
  try {
    await mkdir(folder, { mode: 0o700 });
    for (const { name, contents } of files) await writeFile(join(folder, name), contents, { mode: 0o600, flag: 'wx' });
    return await work(placed);
  } finally {
    // Files that a command has made inaccessible are removed by the next cleanup.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** Replaces each value with file contents by the path of its file. */
function placeFiles(styles: Readonly<Record<string, FileStyle>>, given: Values, folder: string): PlacedFiles {
  const files: CallFile[] = [];
  const values: Record<string, unknown> = { ...given };
  for (const [argument, style] of Object.entries(styles)) {
    const value = Object.hasOwn(given, argument) ? given[argument] : undefined;
    const place = (text: unknown, index: number): string => {
      // An argument may have any name.
      const plain = argument.replaceAll(/[^\w-]/g, '_').slice(0, 100) + (Array.isArray(value) ? `-${index + 1}` : '');
      const isTaken = files.some(({ name }) => name === `${plain}${style.extension}`);
      const name = `${isTaken ? `${files.length + 1}-` : ''}${plain}${style.extension}`;
      files.push({ name, contents: decodeContents(String(text), style.encoding, argument) });
      return join(folder, name);
    };
    if (Array.isArray(value)) values[argument] = value.map(place);
    else if (value !== undefined && value !== null) values[argument] = place(value, 0);
  }
  return { values, folder, files };
}

function refuseContainer({ prefix }: Pick<KindHost, 'prefix'>): void {
  if (prefix.length === 0) return;
  const message =
    'The command runs in a container, which does not see the files of this machine. Pass the text on standard input (stdin).';
  throw new ToolError({ code: 'execution_failed', message });
}

let root: string | undefined;

/** Returns the folder of this process for the files of all its calls; removed with the process, however that ends. */
function ownFolder(): string {
  // A cleaner of temporary files may have removed it.
  if (root !== undefined && existsSync(root)) return root;
  const parent = join(tmpdir(), `pegboard-${process.getuid?.() ?? 'user'}`);
  removeStaleFolders(parent);
  const folder = createPrivateFolder(parent);
  onProcessExit(() => rmSync(folder, { recursive: true, force: true }));
  watchFolder(folder);
  return (root = folder);
}

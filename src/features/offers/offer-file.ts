import { type FSWatcher, globSync, readFileSync, realpathSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ToolError } from '../../tool/tool-error.ts';
import { typeOfFile } from '../../platform/file-type.ts';
import { isInside } from '../../guard/policy/resolve-real-path.ts';

/** Maximum bytes of one file. */
const MAX_FILE = 10 * 1024 * 1024;
/** Maximum files that one glob may match. */
const MAX_FILES = 5_000;
const QUIET = 50;

/** Returns the content of a resource: text if the bytes are text, base64 otherwise. */
export function readContent(file: string, uri: string, mimeType = typeOfFile(file)): Readonly<Record<string, unknown>> {
  const bytes = readBytes(file);
  const text = toText(bytes);
  // A file with an unknown extension is text if its bytes are valid text.
  const type = mimeType === 'application/octet-stream' && text !== undefined ? 'text/plain' : mimeType;
  return text === undefined ? { uri, mimeType, blob: bytes.toString('base64') } : { uri, mimeType: type, text };
}

/** Reads a file of the board. The error describes the fault without the folders above the file. */
export function readBytes(file: string): Buffer {
  const shown = JSON.stringify(basename(file));
  try {
    const { size } = statSync(file);
    if (size > MAX_FILE) {
      const message = `The file ${shown} has ${size} bytes; ${MAX_FILE} is the most.`;
      throw new ToolError({ code: 'output_too_large', message });
    }
    return readFileSync(file);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const message = `The file ${shown} cannot be read. The config of the board names it.`;
    throw new ToolError({ code: 'execution_failed', message, cause: error });
  }
}

/** Reads a file as text. */
export function readText(file: string): string {
  const bytes = readBytes(file);
  const text = toText(bytes);
  if (text !== undefined) return text;
  throw new ToolError({
    code: 'execution_failed',
    message: `The file ${JSON.stringify(basename(file))} is not a text.`,
  });
}

/** Lists the files that a glob matches below its folder, as paths with `/`, in order. Skips links that lead out of it. */
export function findOfferFiles(pattern: string, folder: string): string[] {
  const root = realFolder(folder);
  if (root === undefined || pattern.length > 1000 || (pattern.match(/\{/g) ?? []).length > 3) return [];
  const found: string[] = [];
  for (const path of globSync(pattern, { cwd: folder })) {
    if (found.length >= MAX_FILES) break;
    const file = resolve(folder, path);
    const stats = statSync(file, { throwIfNoEntry: false });
    const real = stats?.isFile() === true ? realpathSync(file) : undefined;
    if (real !== undefined && isInside(real, root)) found.push(relative(folder, file).split(sep).join('/'));
  }
  return found.toSorted();
}

/** Calls `listener` when a file changes. Returns a function that stops it. Watches the folder, because editors replace files. */
export function watchOfferFile(file: string, listener: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(file), (_, name) => {
      if (name !== null && name !== basename(file)) return;
      clearTimeout(timer);
      timer = setTimeout(listener, QUIET).unref();
    });
    watcher.on('error', () => watcher?.close());
    watcher.unref();
  } catch {
    // A folder that cannot be watched reports no changes.
  }
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };
}

/** Resolves a path of the config relative to the folder of its file. */
export function offerPath(path: string, folder: string): string {
  return join(folder, path);
}

function realFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}

function toText(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

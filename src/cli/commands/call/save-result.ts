import { createWriteStream, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Board } from '../../../board/board.ts';
import { isPlainObject } from '../../../tool/json.ts';
import type { ToolResult } from '../../../tool/tool-result.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { type CliOutput, ungated } from '../../shared/print/gate-output.ts';

/** The largest output that is read into one text, in bytes. */
const MAX_JSON = 64 * 1024 * 1024;

/** Checks the path of the file to write before the call, so that no result is lost. */
export function checkTarget(out: string, cwd: string): string {
  const file = resolve(cwd, out);
  if (!existsSync(dirname(file))) throw new UsageError(`--out: the folder ${dirname(file)} does not exist.`, 'call');
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--out: ${out} is a folder. Name a file.`, 'call');
  return file;
}

/** Writes a result to a file: the stored file, the first file in the result, or the text. Returns the number of bytes. */
export async function saveResult(file: string, result: ToolResult, board: Board): Promise<number> {
  try {
    const kept = findKept(result, board) ?? findWhole(result, board);
    if (kept === undefined) writeFileSync(file, fileIn(result) ?? result.text);
    else await pipeline(kept.stream(), createWriteStream(file));
  } catch (error) {
    const message = `${file} cannot be written: ${messageOf(error)}`;
    throw new ToolError({ code: 'execution_failed', message, cause: error });
  }
  return statSync(file).size;
}

/** Opens the stored file that a result names; `undefined` if the board has none with this id. */
export function findKept({ data }: ToolResult, board: Board): ReturnType<Board['outputs']['open']> {
  const id = isPlainObject(data) ? data['output'] : undefined;
  return typeof id === 'string' ? board.outputs.open(id) : undefined;
}

/** Opens the full output of a tool whose text was truncated. */
export function findWhole({ meta }: ToolResult, board: Board): ReturnType<Board['outputs']['open']> {
  const id = meta.truncated?.id;
  return id === undefined ? undefined : board.outputs.open(id);
}

/** Returns the result for JSON, with the full text of a truncated output up to 64 MiB. */
export async function withWhole(result: ToolResult, board: Board): Promise<ToolResult> {
  const kept = result.ok ? findWhole(result, board) : undefined;
  if (kept?.isComplete !== true || kept.size > MAX_JSON) return result.with({ text: withoutIds(result.text) });
  return result.with({ text: await readText(kept.stream()) });
}

/** Prints a full output byte for byte. Returns false if its end is missing. */
export async function printWhole(kept: NonNullable<ReturnType<typeof findWhole>>, stdout: CliOutput): Promise<boolean> {
  try {
    await pipeline(kept.stream(), ungated(stdout), { end: false });
  } catch (error) {
    // The reading program, such as head, has seen enough.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
  return kept.isComplete;
}

/** Removes the advice to read the rest by id: the board of this command is closed before anyone could. */
export function withoutIds(text: string): string {
  return text.replaceAll(
    /(?:; | It is kept: )read (?:it|them) with output_read or output_search, id "[^"\n]*"\.?/g,
    '',
  );
}

function fileIn({ content = [] }: ToolResult): Buffer | string | undefined {
  for (const block of content) {
    if (block.type === 'image' || block.type === 'audio') return Buffer.from(block.data, 'base64');
    if (block.type !== 'resource') continue;
    const { resource } = block;
    if ('blob' in resource) return Buffer.from(resource.blob, 'base64');
    return resource.text;
  }
  return undefined;
}

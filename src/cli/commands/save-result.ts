import { createWriteStream, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Board } from '../../board/board.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { type CliOutput, ungated } from '../print/gate-output.ts';

/** Bytes of an output that become one text. */
const MAX_JSON = 64 * 1024 * 1024;

/** The path of a file to write, before anything is called whose answer would be lost. */
export function checkTarget(out: string, cwd: string): string {
  const file = resolve(cwd, out);
  if (!existsSync(dirname(file))) throw new UsageError(`--out: there is no folder ${dirname(file)}.`, 'call');
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--out: ${out} is a folder. Name a file.`, 'call');
  return file;
}

/** Writes what came back to a file: the file that was kept, the first one in the result, or else the text. Gives its bytes. */
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

/** The file on disk that a result names; a tool that only speaks of one names none that the board has. */
export function findKept({ data }: ToolResult, board: Board): ReturnType<Board['outputs']['open']> {
  const id = isPlainObject(data) ? data['output'] : undefined;
  return typeof id === 'string' ? board.outputs.open(id) : undefined;
}

/** The whole of what a tool printed, where its text was cut. */
export function findWhole({ meta }: ToolResult, board: Board): ReturnType<Board['outputs']['open']> {
  const id = meta.truncated?.id;
  return id === undefined ? undefined : board.outputs.open(id);
}

/** A result as JSON has it for a program: with the whole of a text that was cut, up to 64 MiB. */
export async function withWhole(result: ToolResult, board: Board): Promise<ToolResult> {
  const kept = result.ok ? findWhole(result, board) : undefined;
  if (kept?.isComplete !== true || kept.size > MAX_JSON) return result.with({ text: withoutIds(result.text) });
  return result.with({ text: await readText(kept.stream()) });
}

/** Prints the whole of an output for another program, every byte as it was kept. Gives whether nothing is missing. */
export async function printWhole(kept: NonNullable<ReturnType<typeof findWhole>>, stdout: CliOutput): Promise<boolean> {
  try {
    await pipeline(kept.stream(), ungated(stdout), { end: false });
  } catch (error) {
    // The program that reads, such as head, has seen enough.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
  return kept.isComplete;
}

/** A text without the advice to read what was left out by an id: the board of a command is gone when a person could. */
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

import { createWriteStream, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Board } from '../../board/board.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { UsageError } from '../command-line/usage-error.ts';

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
    const kept = findKept(result, board);
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

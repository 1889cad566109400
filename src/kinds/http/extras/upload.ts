import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { describeValue } from '../../../tool/texts/describe-value.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { isInside, resolveRealPath } from '../../../guard/policy/resolve-real-path.ts';
import type { HttpRequest } from '../../../platform/http/http-messages.ts';
import type { OutputAccess } from '../../../platform/outputs/output-store.ts';
import type { RenderedPart } from '../../../platform/http/template/compile-body.ts';
import { decodeContents } from '../../running/run-command.ts';
import { randomBytes } from 'node:crypto';

/** The most bytes of one request: it is kept in memory in case it must be sent again. */
const MAX_UPLOAD = 64 * 1024 * 1024;

/** The sources of a call's files. */
export interface UploadSources {
  /** The folder that must contain the files, and the base of relative paths. */
  readonly folder: string;
  /** The caller's outputs; undefined if the board stores none. */
  readonly outputs: OutputAccess | undefined;
  readonly signal: AbortSignal;
}

/** Returns the request with its parts as body, including the files. */
export async function withParts(
  request: HttpRequest,
  parts: readonly RenderedPart[],
  sources: UploadSources,
): Promise<HttpRequest> {
  let room = MAX_UPLOAD;
  const read = [];
  for (const part of parts) {
    const bytes = await readPart(part, room, sources);
    room -= bytes.length;
    const isFile = part.from !== 'content' || part.isBase64 || part.filename !== undefined;
    const filename = part.filename ?? (part.from === 'path' ? basename(part.value) : isFile ? part.name : undefined);
    const type = part.type ?? (isFile ? 'application/octet-stream' : undefined);
    read.push({ name: part.name, filename, type, bytes });
  }
  const { contentType, body } = encodeMultipart(read);
  return { ...request, headers: { ...request.headers, 'content-type': contentType }, body };
}

async function readPart(part: RenderedPart, room: number, sources: UploadSources): Promise<Uint8Array> {
  const { from, value, argument, isBase64 } = part;
  if (from === 'path') return readFileIn(part, room, sources);
  if (from === 'content') {
    const contents = decodeContents(value, isBase64 ? 'base64' : 'text', argument);
    return fitting(typeof contents === 'string' ? Buffer.from(contents) : contents, room);
  }
  await sources.outputs?.bring(value);
  const output = sources.outputs?.open(value);
  if (output === undefined)
    throw refuse(part, 'does not name a stored output', 'Run the tool that produced it again, and send its id');
  if (output.size > room) throw tooLarge();
  const chunks: Buffer[] = [];
  const stream = output.stream();
  const stop = (): void => void stream.destroy(new Error('The call was ended.'));
  sources.signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  } finally {
    sources.signal.removeEventListener('abort', stop);
  }
  return fitting(Buffer.concat(chunks), room);
}

/** Reads a file in the folder, following links; no pipe or device, which could block the call. */
async function readFileIn(part: RenderedPart, room: number, { folder }: UploadSources): Promise<Uint8Array> {
  const { root, place } = findFile(part, folder);
  const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(
    () => undefined,
  );
  if (file === undefined) throw refuse(part, 'is not a readable file', 'Send the path of another');
  try {
    // A folder in the path may have become a link meanwhile. Linux reveals the path of an open file.
    const opened = await readlink(`/proc/self/fd/${file.fd}`).catch(() => place);
    if (!isInside(opened, root)) throw outside(part, folder);
    const stats = await file.stat();
    if (!stats.isFile()) throw refuse(part, 'is no file', 'Send the path of one');
    if (stats.size > room) throw tooLarge();
    return fitting(await file.readFile(), room);
  } finally {
    await file.close();
  }
}

function findFile(part: RenderedPart, folder: string): { readonly root: string; readonly place: string } {
  const { value } = part;
  if (value.includes('\0')) throw outside(part, folder);
  try {
    const root = resolveRealPath(folder, folder);
    const real = resolveRealPath(value, root.path);
    if (!real.isOfProcess && isInside(real.path, root.path)) return { root: root.path, place: real.path };
  } catch {
    // A cycle of links, or a folder without access.
  }
  throw outside(part, folder);
}

function outside(part: RenderedPart, folder: string): ToolError {
  return refuse(part, `does not lie in ${folder}`, 'Send the path of a file there');
}

function fitting(bytes: Uint8Array, room: number): Uint8Array {
  if (bytes.length > room) throw tooLarge();
  return bytes;
}

function tooLarge(): ToolError {
  const message = `The files have more than the ${MAX_UPLOAD.toLocaleString('en-US')} bytes that one request may send. Send fewer or smaller ones.`;
  return new ToolError({ code: 'invalid_arguments', message });
}

function refuse({ argument, value }: RenderedPart, reason: string, fix: string): ToolError {
  const message = `Argument "${argument}" ${reason}; got ${describeValue(value)}. ${fix}.`;
  return new ToolError({ code: 'invalid_arguments', message, field: argument, reason });
}

interface MultipartPart {
  readonly name: string;
  readonly filename: string | undefined;
  readonly type: string | undefined;
  readonly bytes: Uint8Array;
}

/** Encodes a multipart form and returns its `Content-Type`. */
function encodeMultipart(parts: readonly MultipartPart[]): { contentType: string; body: Buffer } {
  // Random, so that no content can contain the boundary.
  const boundary = `pegboard-${randomBytes(18).toString('hex')}`;
  const chunks = parts.flatMap(({ name, filename, type, bytes }) => {
    const file = filename === undefined ? '' : `; filename="${escapeName(filename)}"`;
    const kind = type === undefined ? '' : `\r\nContent-Type: ${type}`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${file}${kind}\r\n\r\n`;
    return [Buffer.from(head), bytes, Buffer.from('\r\n')];
  });
  const body = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

/** Escapes a name like browsers do: characters that would end the name or the line are percent-encoded. */
function escapeName(text: string): string {
  return text.toWellFormed().replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));
}

import { randomBytes } from 'node:crypto';

export interface MultipartPart {
  readonly name: string;
  readonly filename: string | undefined;
  readonly type: string | undefined;
  readonly bytes: Uint8Array;
}

/** Encodes a multipart form and returns its `Content-Type`. */
export function encodeMultipart(parts: readonly MultipartPart[]): { contentType: string; body: Buffer } {
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

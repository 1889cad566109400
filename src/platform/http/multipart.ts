import { randomBytes } from 'node:crypto';

/** A part as it is sent. */
export interface MultipartPart {
  readonly name: string;
  readonly filename: string | undefined;
  readonly type: string | undefined;
  readonly bytes: Uint8Array;
}

/** The body of a form with files, and the `Content-Type` that it needs. */
export function encodeMultipart(parts: readonly MultipartPart[]): { contentType: string; body: Buffer } {
  // Nothing that is sent can hold what it cannot guess.
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

/** As browsers write names: what would end the name or the line is percent-encoded. */
function escapeName(text: string): string {
  return text.toWellFormed().replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));
}

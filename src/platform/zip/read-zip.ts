import { crc32, inflateRawSync } from 'node:zlib';
import { ToolError } from '../../tool/tool-error.ts';

/** A file in an archive. */
export interface ZippedFile {
  /** Its path with `/`, always below the folder it is unpacked to. */
  readonly name: string;
  readonly isExecutable: boolean;
  /** Unpacks the file. Throws if it is broken. */
  read(): Buffer;
}

const MOST_FILES = 20_000;
/** Maximum bytes of all unpacked files: a small archive can expand to petabytes. */
const MOST_BYTES = 500 * 1024 * 1024;
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const LONGEST_END = 22 + 0xffff;
const LINK = 0o120000;
const TYPE = 0o170000;

/**
 * Lists the files of an untrusted ZIP archive. Throws `invalid_config` if it is broken, encrypted or too large, or has paths or links that
 * lead out of its folder.
 */
export function readZip(bytes: Buffer, shown: string): ZippedFile[] {
  const refuse = (why: string): ToolError =>
    new ToolError({ code: 'invalid_config', message: `${shown} cannot be unpacked: ${why}.` });
  try {
    const end = findEnd(bytes);
    if (end === -1) throw refuse('it is not a ZIP archive');
    const count = bytes.readUInt16LE(end + 10);
    let at = bytes.readUInt32LE(end + 16);
    if (count > MOST_FILES) throw refuse(`it has more than ${MOST_FILES} files`);
    const files = new Map<string, ZippedFile>();
    let total = 0;
    for (let index = 0; index < count; index++) {
      if (bytes.readUInt32LE(at) !== ENTRY) throw refuse('its directory is broken');
      const flags = bytes.readUInt16LE(at + 8);
      const method = bytes.readUInt16LE(at + 10);
      const checksum = bytes.readUInt32LE(at + 16);
      const packed = bytes.readUInt32LE(at + 20);
      const size = bytes.readUInt32LE(at + 24);
      const length = bytes.readUInt16LE(at + 28);
      const mode = bytes.readUInt32LE(at + 38) >>> 16;
      const local = bytes.readUInt32LE(at + 42);
      const name = bytes.toString('utf8', at + 46, at + 46 + length);
      at += 46 + length + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
      if (name.endsWith('/')) continue;
      const fault = findFault({ name, flags, method, mode, isLarge: [packed, size, local].includes(0xffffffff) });
      if (fault !== undefined) throw refuse(`${JSON.stringify(name.slice(0, 200))} ${fault}`);
      if (files.has(name.toLowerCase())) throw refuse(`it has ${JSON.stringify(name)} twice`);
      total += size;
      if (total > MOST_BYTES) throw refuse(`it unpacks to more than ${MOST_BYTES} bytes`);
      const read = (): Buffer => {
        try {
          if (bytes.readUInt32LE(local) !== LOCAL) throw new Error('its entry is not where the directory says');
          const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
          const raw = bytes.subarray(start, start + packed);
          const data = method === 0 ? Buffer.from(raw) : inflateRawSync(raw, { maxOutputLength: Math.max(size, 1) });
          if (data.length !== size || crc32(data) !== checksum) throw new Error('its checksum does not match');
          return data;
        } catch (error) {
          throw refuse(`${JSON.stringify(name)}: ${error instanceof Error ? error.message : String(error)}`);
        }
      };
      files.set(name.toLowerCase(), { name, isExecutable: (mode & 0o111) !== 0, read });
    }
    return [...files.values()];
  } catch (error) {
    // A truncated archive was read past its end.
    throw error instanceof ToolError ? error : refuse('it is cut off or broken');
  }
}

function findEnd(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - LONGEST_END); at--)
    if (bytes.readUInt32LE(at) === END) return at;
  return -1;
}

interface EntryFacts {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly mode: number;
  readonly isLarge: boolean;
}

function findFault({ name, flags, method, mode, isLarge }: EntryFacts): string | undefined {
  const steps = name.split('/');
  const isOutside = name.startsWith('/') || steps.includes('..') || steps.includes('.') || steps.includes('');
  // eslint-disable-next-line no-control-regex -- names with control characters deceive people
  if (isOutside || /[\\:\u0000-\u001f]/.test(name)) return 'is not a path within the archive';
  if ((mode & TYPE) === LINK) return 'is a link';
  if ((flags & 1) !== 0) return 'has a password';
  if (method !== 0 && method !== 8) return 'uses an unknown compression method';
  return isLarge ? 'is larger than 4 GB' : undefined;
}

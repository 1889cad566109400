import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  /** Its path in the archive, with `/`. */
  readonly name: string;
  readonly data: Uint8Array;
  /** Default: false. */
  readonly isExecutable?: boolean;
}

/** The earliest date of the format: the same files always produce the same bytes. */
const DATE = 0x21;
const UTF8 = 0x800;
const DEFLATED = 8;
const VERSION = 20;
/** Marks the archive as made on Unix, so that readers keep the permissions. */
const MADE_ON_UNIX = 0x0300 | VERSION;

/** Packs files into a ZIP archive, sorted by name. */
export function writeZip(files: readonly ZipFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, isExecutable = false } of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = Buffer.from(name, 'utf8');
    const packed = deflateRawSync(data);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(UTF8, 2);
    common.writeUInt16LE(DEFLATED, 4);
    common.writeUInt16LE(DATE, 8);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, path, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((isExecutable ? 0o100755 : 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    const made = Buffer.alloc(2);
    made.writeUInt16LE(MADE_ON_UNIX);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002', 'latin1'), made, common, rest, path]));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

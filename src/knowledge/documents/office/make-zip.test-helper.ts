import { crc32, deflateRawSync } from 'node:zlib';

/** A part of an archive; `size` is a false size that the archive declares. */
export interface ZipPart {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly size?: number;
  /** The bytes to store as they are, if packing `content` would take too long. */
  readonly packed?: Uint8Array;
}

/** Creates a ZIP archive of these parts. */
export function makeZip(parts: Readonly<Record<string, string | Uint8Array>> | readonly ZipPart[]): Uint8Array {
  const list: readonly ZipPart[] = Array.isArray(parts)
    ? parts
    : Object.entries(parts).map(([name, content]) => ({ name, content }));
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, size, packed: given } of list) {
    const raw = Buffer.from(content);
    const packed = given ?? deflateRawSync(raw);
    const path = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(raw), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(size ?? raw.length, 18);
    fields.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, path, packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0'), fields, place, path]));
    files.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(list.length % 65_536, 4);
  end.writeUInt16LE(list.length % 65_536, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return new Uint8Array(Buffer.concat([...files, entries, Buffer.from('PK\u0005\u0006'), end]));
}

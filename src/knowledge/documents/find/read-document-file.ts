import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Larger files are left out, also those that are named: people do not write them. */
export const MAX_FILE_BYTES = 20_000_000;

/** The reason for those that are left out. */
export const TOO_LARGE = `is larger than ${MAX_FILE_BYTES / 1_000_000} MB; split it`;

const PIECE = 1_000_000;

/**
 * Reads a file that was found, or says why it is left out. Throws where the system does.
 *
 * It may have become another since: one that grows without end, or a pipe that nobody writes to.
 */
export async function readDocumentFile(
  path: string,
): Promise<{ readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly reason: string }> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { ok: false, reason: 'is no regular file' };
    const pieces: Buffer[] = [];
    let size = 0;
    for (;;) {
      // One byte more than it had, to see its end.
      const wanted = Math.min(Math.max(stats.size - size, 0) + 1, PIECE);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, null);
      if (bytesRead === 0) break;
      size += bytesRead;
      if (size > MAX_FILE_BYTES) return { ok: false, reason: TOO_LARGE };
      pieces.push(buffer.subarray(0, bytesRead));
    }
    if (size === 0) return { ok: false, reason: 'is empty' };
    const [first = Buffer.alloc(0)] = pieces;
    return { ok: true, bytes: pieces.length === 1 ? first : Buffer.concat(pieces, size) };
  } finally {
    await file.close();
  }
}

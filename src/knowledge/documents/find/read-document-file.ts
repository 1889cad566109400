import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Larger files are skipped, even if named: people do not write them. */
export const MAX_FILE_BYTES = 20_000_000;

/** The reason for skipping them. */
export const TOO_LARGE = `is larger than ${MAX_FILE_BYTES / 1_000_000} MB; split it`;

const PIECE = 1_000_000;

/**
 * Reads a found file, or returns the reason to skip it. Throws errors of the system.
 *
 * The file may have changed meanwhile: to one that grows without end, or to a pipe without a writer.
 */
export async function readDocumentFile(
  path: string,
): Promise<{ readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly reason: string }> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { ok: false, reason: 'is not a regular file' };
    const pieces: Buffer[] = [];
    let size = 0;
    for (;;) {
      // One byte more than its size, to detect its end.
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

import type { Socket } from 'node:net';

/** Bytes that are read at once. */
const SIZE = 65_536;

/**
 * Opens the standard input of this process for one listener to `data`; `undefined` where it is no pipe.
 *
 * Each chunk is a view of the same memory, and only good until the listener returns: a stream of its own for each chunk costs a server more
 * than to read a message. Nothing else may read the standard input of the process.
 */
export function openPipedInput(): Socket | undefined {
  if (process.platform === 'win32' || !isPipe(0)) return undefined;
  const { Socket: OpenedSocket } = process.getBuiltinModule('node:net');
  const buffer = Buffer.allocUnsafe(SIZE);
  const socket: Socket = new OpenedSocket({
    fd: 0,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback: (length) => {
        socket.emit('data', buffer.subarray(0, length));
        return true;
      },
    },
  });
  return socket;
}

function isPipe(fd: number): boolean {
  try {
    const stats = process.getBuiltinModule('node:fs').fstatSync(fd);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}

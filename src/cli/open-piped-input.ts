import type { Socket } from 'node:net';

/** The size of a read in bytes. */
const SIZE = 65_536;

/**
 * Opens the standard input of this process for one `data` listener; `undefined` if it is not a pipe.
 *
 * All chunks share one buffer and are valid only until the listener returns: allocating a buffer for each chunk costs a server more than
 * reading a message. Nothing else may read standard input.
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

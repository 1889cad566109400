import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPrivateFolder, removeStaleFolders } from '../../outputs/private-folder.ts';

const NUMBER_LENGTH = 10;

/** The board's ends of the sockets that become the stdio of children. */
export interface HelperSockets {
  readonly path: string;
  /** The text that a connection must start with, followed by its number. */
  readonly token: string;
  /** Waits for the socket with this number. From then on it keeps the board alive. */
  take(number: number): Promise<Socket>;
  close(): void;
}

/** Listens on a Unix socket in a private folder. Closes connections that do not send the token. */
export async function openHelperSockets(): Promise<HelperSockets> {
  const parent = join(tmpdir(), `pegboard-${process.getuid?.() ?? 'user'}`);
  removeStaleFolders(parent);
  const folder = createPrivateFolder(parent);
  const path = join(folder, 's');
  const token = randomBytes(16).toString('hex');
  const arrived = new Map<number, PromiseWithResolvers<Socket>>();
  const idle = new Set<Socket>();
  const slot = (number: number): PromiseWithResolvers<Socket> => {
    let found = arrived.get(number);
    if (found === undefined) arrived.set(number, (found = Promise.withResolvers()));
    return found;
  };

  const server = createServer({ pauseOnConnect: true }, (socket) => {
    idle.add(socket.unref());
    socket.on('error', () => socket.destroy());
    socket.once('close', () => idle.delete(socket));
    const greet = (): void => {
      // `null` means that the greeting is incomplete.
      const greeting: unknown = socket.read(token.length + NUMBER_LENGTH);
      if (!Buffer.isBuffer(greeting)) return;
      socket.off('readable', greet);
      const text = greeting.toString('latin1');
      if (text.startsWith(token)) slot(Number(text.slice(token.length))).resolve(socket);
      else socket.destroy();
    };
    socket.on('readable', greet);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();

  return {
    path,
    token,
    async take(number) {
      const socket = await slot(number).promise;
      arrived.delete(number);
      idle.delete(socket);
      return socket.ref();
    },
    close() {
      server.close();
      for (const socket of idle) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

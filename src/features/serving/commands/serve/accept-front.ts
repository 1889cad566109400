import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Hello } from '../../../../mcp/front/control-line.ts';
import { isPlainObject } from '../../../../tool/json.ts';

/** Milliseconds for the first line, and its bytes at most. */
const PATIENCE = 10_000;
const MAX_HELLO = 256 * 1024;
const NEWLINE = 10;

/** Reads the first line of a connection; `undefined`, with the connection closed, unless it is a greeting with the board's token. */
export function readHello(socket: Socket, token: string): Promise<Hello | undefined> {
  return new Promise((resolve) => {
    let head = Buffer.alloc(0);
    const settle = (hello: Hello | undefined): void => {
      clearTimeout(timer);
      socket.off('data', take).off('close', leave).off('end', leave);
      if (hello === undefined) socket.destroy();
      resolve(hello);
    };
    const leave = (): void => settle(undefined);
    const take = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(NEWLINE);
      if (end === -1) {
        if (head.length > MAX_HELLO) leave();
        return;
      }
      socket.pause();
      socket.unshift(head.subarray(end + 1));
      settle(parseHello(head.toString('utf8', 0, end), token));
    };
    const timer = setTimeout(leave, PATIENCE);
    socket.on('data', take).once('close', leave).once('end', leave);
  });
}

function parseHello(line: string, token: string): Hello | undefined {
  try {
    const hello: unknown = JSON.parse(line);
    if (!isPlainObject(hello) || typeof hello['token'] !== 'string' || !isSame(hello['token'], token)) return undefined;
    // Only a process of the same version and user knows the token.
    return hello as unknown as Hello;
  } catch {
    return undefined;
  }
}

/** Compares two texts in a time that does not depend on their contents. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

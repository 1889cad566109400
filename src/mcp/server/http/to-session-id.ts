import type { Socket } from 'node:net';
import type { Caller } from '../caller.ts';

const known = new WeakMap<Socket, string>();
let count = 0;

/** Who sends stateless requests: whoever the token was given to, and without one whoever holds the socket. */
export function toSessionId({ id }: Caller, socket: Socket): string {
  if (id !== '') return id;
  const sessionId = known.get(socket) ?? `socket-${++count}`;
  known.set(socket, sessionId);
  return sessionId;
}

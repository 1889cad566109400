import type { Socket } from 'node:net';
import type { Caller } from '../caller.ts';

const known = new WeakMap<Socket, string>();
let count = 0;

/** Tells clients of stateless requests apart: by the caller's id, or by the socket where no token is needed. */
export function toSessionId({ id }: Caller, socket: Socket, replica: string): string {
  if (id !== '') return id;
  const sessionId = known.get(socket) ?? `socket-${replica}-${++count}`;
  known.set(socket, sessionId);
  return sessionId;
}

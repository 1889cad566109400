import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { CommandLine } from '../../../../mcp/front/command-messages.ts';
import type { Connection } from '../../../../mcp/server/connection.ts';
import { type Control, formatControl, type FrontInfo } from '../../../../mcp/front/control-line.ts';

/** A process that is attached to a board. */
export interface AttachedFront {
  readonly info: FrontInfo;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly socket: Socket;
  readonly connection: Connection;
}

/** A front as `pegboard status` shows it. */
export interface FrontStatus {
  readonly pid: number;
  /** The name that the client gave in its handshake, or that of the process which started the front. */
  readonly client: string;
  readonly version?: string | undefined;
  readonly folder: string;
  readonly since: number;
  readonly running: number;
}

/** Lines about the board that a front which attaches later still gets. */
const MOST_LINES = 100;
/** Bytes that wait for a front, with which it gets no further lines: it does not read them. */
const MOST_WAITING = 1024 * 1024;

/** A process whose command line the board runs. */
interface Visitor {
  readonly line: CommandLine;
  readonly since: number;
}

/** The fronts of a shared board. */
export class SharedFronts {
  readonly #fronts = new Set<AttachedFront>();
  readonly #visitors = new Set<Visitor>();
  readonly #lines: string[] = [];
  #isLeaving = false;
  #hadAny = false;
  /** Called when a front came or went. */
  onChange: () => void = () => {};

  get size(): number {
    return this.#fronts.size + this.#visitors.size;
  }

  /** Adds a process whose command line runs, until the returned function is called. */
  enter(line: CommandLine): () => void {
    // Looking at a board does not keep it alive.
    if (line.args[0] === 'status') return () => {};
    const visitor = { line, since: Date.now() };
    this.#visitors.add(visitor);
    this.onChange();
    return () => {
      this.#visitors.delete(visitor);
      this.onChange();
    };
  }

  /** True when a front was attached at any time. */
  get hadAny(): boolean {
    return this.#hadAny;
  }

  add(front: AttachedFront): void {
    this.#fronts.add(front);
    this.#hadAny = true;
    for (const text of this.#lines) front.socket.write(formatControl({ type: 'log', text }));
    if (this.#isLeaving) front.socket.write(formatControl({ type: 'leaving' }));
    this.onChange();
  }

  remove(front: AttachedFront): void {
    this.#fronts.delete(front);
    this.onChange();
  }

  /** Sends a message to all fronts. */
  tell(control: Control): void {
    for (const { socket } of this.#fronts) socket.write(formatControl(control));
  }

  /** Prints a line for the people of all fronts, also of later ones. */
  log(text: string): void {
    this.#lines.push(text);
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
    for (const { socket } of this.#fronts)
      if (socket.writableLength < MOST_WAITING) socket.write(formatControl({ type: 'log', text }));
  }

  /** Takes leave of all fronts, also of one that is just attaching. */
  leave(): void {
    this.#isLeaving = true;
    this.tell({ type: 'leaving' });
  }

  list(): FrontStatus[] {
    const fronts = [...this.#fronts].map(({ info, since, connection }) => ({
      pid: info.pid,
      client: connection.app?.name ?? processName(info.parent) ?? 'unknown',
      version: connection.app?.version,
      folder: info.folder,
      since,
      running: connection.running,
    }));
    const visitors = [...this.#visitors].map(({ line: { pid, args, folder }, since }) => ({
      pid,
      client: `pegboard ${args[0] ?? ''}`.trim(),
      folder,
      since,
      running: 1,
    }));
    return [...fronts, ...visitors];
  }
}

function processName(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

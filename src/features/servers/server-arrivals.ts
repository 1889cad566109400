import { ToolError } from '../../tool/tool-error.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import type { Absence, ArrivalWish } from '../../board/registry/absent-tools.ts';
import type { WantedTool } from '../../load/features/tool-list.ts';
import type { PossibleOwner } from './live-servers.ts';

/** The parts of a board that decide which servers are asked. */
interface ArrivalsBoard {
  /** The servers of the current reading of the files. */
  readonly servers: () => readonly SharedServer[];
  /** Those of which nothing is known yet that may have a tool of this name. */
  readonly ownersOf: (wanted: WantedTool) => readonly PossibleOwner[];
  /** Settles when the tools are on the board that a server has just offered; `undefined` when none are being put there. */
  readonly underWay: () => Promise<unknown> | undefined;
  /** Returns true when the tool is on the board now. */
  readonly isThere: (name: string) => boolean;
  /** False on a board that is opened to look: no server is started. */
  readonly mayAsk: boolean;
}

const LONGEST_TIMER = 2 ** 31 - 1;
/** Milliseconds before servers are asked: what the board was opened for comes first. */
const PAUSE = 100;

/** Brings the tools of servers to a board that is open already: asks servers in the background, and lets calls wait for them. */
export class ServerArrivals {
  readonly #board: ArrivalsBoard;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(board: ArrivalsBoard) {
    this.#board = board;
  }

  /** Asks servers of which nothing is known, and those that failed when their time has come. What is under way goes on. */
  askSoon(): void {
    this.#askIn(PAUSE);
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Asks every server of which nothing is known and waits; those that failed a short while ago only for `retry`. */
  async all(retry: boolean): Promise<void> {
    if (!this.#board.mayAsk) return;
    const asked = new Set<SharedServer>();
    for (;;) {
      const next = this.#board
        .servers()
        .filter((server) => server.manifest === undefined && !asked.has(server) && (retry || isDue(server)));
      if (next.length === 0) return;
      for (const server of next) asked.add(server);
      await Promise.all(next.map((server) => server.ask()));
    }
  }

  /** Settles when the tool is there, or no server is left that may bring it. */
  arrival(wanted: WantedTool, wish: ArrivalWish): Promise<void> | undefined {
    const { name } = wanted;
    const asked = new Set<SharedServer>();
    const next = (): readonly SharedServer[] =>
      this.#board
        .ownersOf(wanted)
        .filter((owner) => !asked.has(owner.server) && isWorthwhile(owner, wish))
        .map(({ server }) => server);
    const first = next();
    const underWay = this.#board.underWay();
    if (this.#isOver || !this.#board.mayAsk || (first.length === 0 && underWay === undefined)) return undefined;
    const wait = async (): Promise<void> => {
      await underWay;
      // A reload may put another server in the place of one that was asked.
      for (let owners = first; owners.length > 0 && !this.#board.isThere(name); owners = next()) {
        for (const server of owners) asked.add(server);
        await this.#whenThere(name, owners);
      }
    };
    return wait();
  }

  /** Why a tool is not there that a server may have. */
  explain(wanted: WantedTool): Absence | undefined {
    const { name } = wanted;
    const owners = this.#board.ownersOf(wanted);
    const owner = owners.find(({ isNamed }) => isNamed) ?? owners[0];
    if (owner === undefined) return undefined;
    const { server, isNamed } = owner;
    const { failure } = server.status;
    if (isNamed) {
      const reason = failure?.message ?? `The MCP server "${server.settings.name}" has not said yet what it offers.`;
      const message = `The tool "${name}" is not on the board. ${reason}`;
      return { type: 'known', error: new ToolError({ code: 'upstream_unavailable', message, toolName: name }) };
    }
    const state = failure === undefined ? 'has not said yet what it offers' : 'did not start';
    return { type: 'possible', remark: `The MCP server "${server.settings.name}", which may have it, ${state}.` };
  }

  #ask(): void {
    let wait = Infinity;
    for (const server of this.#board.servers()) {
      if (server.manifest !== undefined) continue;
      if (server.delay > 0) wait = Math.min(wait, server.delay);
      else if (server.status.state !== 'starting') void server.ask();
    }
    if (wait < Infinity) this.#askIn(wait);
  }

  #askIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    // A server that would be asked later is no reason for a process to stay.
    if (!this.#isOver) this.#timer = setTimeout(() => this.#ask(), Math.min(milliseconds, LONGEST_TIMER)).unref();
  }

  async #whenThere(name: string, owners: readonly SharedServer[]): Promise<void> {
    const there = Promise.withResolvers<void>();
    const all = owners.map(async (server) => {
      await server.ask();
      if (this.#board.isThere(name)) there.resolve();
    });
    await Promise.race([there.promise, Promise.all(all)]);
  }
}

/** Returns true when a board may ask the server by itself, or does already. */
function isDue(server: SharedServer): boolean {
  return server.status.state === 'starting' || server.delay === 0;
}

function isWorthwhile({ server, isNamed }: PossibleOwner, wish: ArrivalWish): boolean {
  if (server.status.state === 'starting') return true;
  if (wish === 'wait' || !server.canStart) return false;
  // A name that fits any server is no wish for this one.
  return server.delay === 0 || (wish === 'retry' && isNamed);
}

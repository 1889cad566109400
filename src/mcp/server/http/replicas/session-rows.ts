import { createHash } from 'node:crypto';
import { isPlainObject } from '../../../../tool/json.ts';
import type { BoardStore } from '../../../../platform/store/board-store.ts';
import { toStoredName } from '../../../../platform/store/sealed-space.ts';
import { type ConnectionState, parseConnectionState } from '../../connection-state.ts';

const SPACE = 'mcp-sessions';

/** A session in the store. */
export interface SessionRow {
  readonly caller: string;
  readonly rights: string;
  /** See `markCredential`. */
  readonly credential: string;
  readonly owner: string;
  readonly state: ConnectionState;
}

/** Sessions in the board's store, under names that do not reveal their ids. */
export class SessionRows {
  readonly #store: () => BoardStore | undefined;

  constructor(store: () => BoardStore | undefined) {
    this.#store = store;
  }

  async save(id: string, row: SessionRow, ttl: number): Promise<void> {
    await this.#store()?.transaction((inside) => inside.space(SPACE).set(toStoredName(id), row, { ttl }), {
      durable: false,
    });
  }

  async find(id: string): Promise<SessionRow | undefined> {
    return parseRow(await this.#store()?.space(SPACE).get(toStoredName(id)));
  }

  /** Changes a session and keeps it for another `ttl` milliseconds; false if it no longer exists. */
  async change(id: string, apply: (row: SessionRow) => SessionRow, ttl: number): Promise<boolean> {
    const changed = await this.#store()?.transaction(
      async (inside) => {
        const space = inside.space(SPACE);
        const row = parseRow(await space.get(toStoredName(id)));
        if (row === undefined) return false;
        await space.set(toStoredName(id), apply(row), { ttl });
        return true;
      },
      { durable: false },
    );
    return changed === true;
  }

  async delete(id: string): Promise<void> {
    await this.#store()?.space(SPACE).delete(toStoredName(id));
  }
}

/** Returns a mark that recognizes a credential, only together with the session's id. */
export function markCredential(id: string, credential: string): string {
  return credential === '' ? '' : createHash('sha256').update(`${id} ${credential}`).digest('base64url');
}

function parseRow(value: unknown): SessionRow | undefined {
  if (!isPlainObject(value)) return undefined;
  const { caller, rights, credential, owner } = value;
  const state = parseConnectionState(value['state']);
  const texts = [caller, rights, credential, owner];
  if (state === undefined || texts.some((text) => typeof text !== 'string')) return undefined;
  return {
    caller: String(caller),
    rights: String(rights),
    credential: String(credential),
    owner: String(owner),
    state,
  };
}

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { isPlainObject } from '../../../../tool/json.ts';
import type { BoardStore, StoreAccess, StoreLease } from '../../../../platform/store/board-store.ts';

/** Milliseconds after which a silent process no longer counts as serving, and between its signs of life. */
const LEASE = 30_000;
const RENEWAL = 10_000;
/** Milliseconds that mail is kept for its reader. */
const MAIL_TTL = 10 * 60_000;
const CHANNELS = 64;
const PRESENT = 'replicas';
/** The channel that announces new replicas and changed files. */
export const PRESENCE_CHANNEL = 'replicas';

/** A message between replicas; the fields depend on the `type`. */
export type Mail = Readonly<Record<string, unknown>> & { readonly type: string };

/** A process that serves the board. */
export interface PresentReplica {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly digest: string;
}

interface ReplicaOptions {
  readonly store: () => BoardStore | undefined;
  readonly onMail: (mail: Mail) => void;
}

/**
 * This process among those that serve the same board: announces itself, and exchanges mail with the others. It joins with the first
 * session, or on request.
 */
export class Replica {
  /** Identifies this process; part of the ids of its streams and questions. */
  readonly id: string = randomBytes(6).toString('hex');
  readonly #options: ReplicaOptions;
  #description = { version: '', digest: '' };
  #joining: Promise<void> | undefined;
  #lease: StoreLease | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #stopWatching: (() => void) | undefined;
  #reading: Promise<void> | undefined;
  #mustReadAgain = false;
  #mailCount = 0;
  #isClosed = false;
  /** Called after joining. */
  onJoin: (() => void) | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** The board's store; `undefined` for boards without one. */
  get store(): BoardStore | undefined {
    return this.#isClosed ? undefined : this.#options.store();
  }

  /** Announces this process and begins to read its mail. Rejects while the store is unavailable; the next call tries again. */
  join(): Promise<void> {
    const { store } = this;
    if (store === undefined) return Promise.resolve();
    return (this.#joining ??= this.#join(store).catch((error: unknown) => {
      this.#joining = undefined;
      throw error;
    }));
  }

  /** Announces what this process serves. */
  async describe(description: { readonly version: string; readonly digest: string }): Promise<void> {
    this.#description = description;
    const { store } = this;
    if (this.#joining === undefined || store === undefined) return;
    await this.#joining;
    await this.#announce(store);
  }

  /** Returns the processes that serve this board. */
  async present(): Promise<PresentReplica[]> {
    const { store } = this;
    return store === undefined ? [] : listReplicas(store);
  }

  /** Returns true while a process is running. */
  async isThere(id: string): Promise<boolean> {
    return id === this.id || (await this.store?.leaseHolder(leaseName(id))) !== undefined;
  }

  /** Sends mail to one replica, inside of a transaction if one is given. */
  async send(to: string, mail: Mail, inside?: StoreAccess): Promise<void> {
    const write = async (access: StoreAccess): Promise<void> => {
      const key = `${this.id} ${String(++this.#mailCount).padStart(12, '0')}`;
      await access.space(mailSpace(to)).set(key, mail, { ttl: MAIL_TTL });
      await access.signal(mailChannel(to));
    };
    if (inside !== undefined) return write(inside);
    await this.store?.transaction(write, { durable: false });
  }

  async broadcast(mail: Mail): Promise<void> {
    const others = (await this.present()).filter(({ id }) => id !== this.id);
    if (others.length === 0) return;
    await this.store?.transaction(
      async (inside) => {
        for (const { id } of others) await this.send(id, mail, inside);
      },
      { durable: false },
    );
  }

  /** Announces that this process is leaving. Its last mail is not read. */
  async close(): Promise<void> {
    const { store } = this;
    this.#isClosed = true;
    this.#stopWatching?.();
    clearInterval(this.#renewal);
    if (this.#joining === undefined) return;
    await this.#joining.catch(() => undefined);
    await this.#reading;
    await store
      ?.space(PRESENT)
      .delete(this.id)
      .catch(() => undefined);
    await this.#lease?.release().catch(() => undefined);
  }

  async #join(store: BoardStore): Promise<void> {
    this.#lease ??= await store.takeLease(leaseName(this.id), { holder: this.id, ttl: LEASE });
    await this.#announce(store);
    if (this.#isClosed) return;
    this.#stopWatching ??= store.watch(mailChannel(this.id), () => this.#read(store));
    this.#renewal ??= setInterval(() => {
      void this.#renew(store).catch(() => undefined);
      // Finds mail whose signal was lost.
      this.#read(store);
    }, RENEWAL).unref();
    this.onJoin?.();
  }

  async #renew(store: BoardStore): Promise<void> {
    if ((await this.#lease?.renew()) === false)
      this.#lease = await store.takeLease(leaseName(this.id), { holder: this.id, ttl: LEASE });
    await store.space(PRESENT).set(this.id, this.#describe(), { ttl: LEASE });
  }

  async #announce(store: BoardStore): Promise<void> {
    await store.transaction(
      async (inside) => {
        await inside.space(PRESENT).set(this.id, this.#describe(), { ttl: LEASE });
        await inside.signal(PRESENCE_CHANNEL);
      },
      { durable: false },
    );
  }

  #describe(): Omit<PresentReplica, 'id'> {
    return { host: hostname(), pid: process.pid, ...this.#description };
  }

  #read(store: BoardStore): void {
    this.#mustReadAgain = true;
    this.#reading ??= this.#readAll(store)
      // The store is unavailable: the next read finds the mail.
      .catch(() => undefined)
      .finally(() => (this.#reading = undefined));
  }

  async #readAll(store: BoardStore): Promise<void> {
    while (this.#mustReadAgain && !this.#isClosed) {
      this.#mustReadAgain = false;
      const space = store.space(mailSpace(this.id));
      for (const { key, value } of await space.entries()) {
        if (!(await space.delete(key))) continue;
        if (isPlainObject(value) && typeof value['type'] === 'string')
          this.#options.onMail({ ...value, type: value['type'] });
      }
    }
  }
}

/** Lists the processes that serve a board, from its store. */
export async function listReplicas(store: BoardStore): Promise<PresentReplica[]> {
  return (await store.space(PRESENT).entries()).map(({ key, value }) => {
    const { host, pid, version, digest } = isPlainObject(value) ? value : {};
    return { id: key, host: String(host), pid: Number(pid), version: String(version), digest: String(digest) };
  });
}

function leaseName(id: string): string {
  return `mcp-replica ${id}`;
}

function mailSpace(id: string): string {
  return `mcp-mail ${id}`;
}

/** A store keeps a row for each channel, so replicas share a few: a signal for another replica costs one empty read. */
function mailChannel(id: string): string {
  return `mcp-mail ${Number.parseInt(id.slice(0, 4), 16) % CHANNELS}`;
}

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { isPlainObject } from '../../../../tool/json.ts';
import type { BoardStore, StoreAccess, StoreLease } from '../../../../platform/store/board-store.ts';

/** Time after which a process without a sign of life no longer counts as serving, and the interval of the signs. */
const LEASE = 30_000;
const RENEWAL = 10_000;
/** Milliseconds that mail waits for its reader. */
const MAIL_TTL = 10 * 60_000;
const CHANNELS = 64;
const PRESENT = 'replicas';
/** The channel on which replicas hear that one of them came or serves other files. */
export const PRESENCE_CHANNEL = 'replicas';

/** A message from one replica to another; the fields depend on the `type`. */
export type Mail = Readonly<Record<string, unknown>> & { readonly type: string };

/** A process that serves the board, as others see it. */
export interface PresentReplica {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** The program's version. */
  readonly version: string;
  /** Of the files it serves. */
  readonly digest: string;
}

interface ReplicaOptions {
  readonly store: () => BoardStore | undefined;
  readonly onMail: (mail: Mail) => void;
}

/**
 * This process among those that serve the same board: it says that it is there, and exchanges mail with the others.
 *
 * It joins them with the first session, or when it is told to; before that it costs nothing.
 */
export class Replica {
  /** Names this process to the others; part of the ids of its streams and questions. */
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
  /** Called once this process is one of the replicas. */
  onJoin: (() => void) | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** The board's store; `undefined` for boards that keep nothing. */
  get store(): BoardStore | undefined {
    return this.#isClosed ? undefined : this.#options.store();
  }

  /** Says that this process is there, and begins to read its mail. Rejects while the store is away; the next call tries again. */
  join(): Promise<void> {
    const { store } = this;
    if (store === undefined) return Promise.resolve();
    return (this.#joining ??= this.#join(store).catch((error: unknown) => {
      this.#joining = undefined;
      throw error;
    }));
  }

  /** Tells the others what this process serves. */
  async describe(description: { readonly version: string; readonly digest: string }): Promise<void> {
    this.#description = description;
    const { store } = this;
    if (this.#joining === undefined || store === undefined) return;
    await this.#joining;
    await this.#announce(store);
  }

  /** The processes that serve this board now. */
  async present(): Promise<PresentReplica[]> {
    const { store } = this;
    return store === undefined ? [] : listReplicas(store);
  }

  /** Returns true when a process is still there. */
  async isThere(id: string): Promise<boolean> {
    return id === this.id || (await this.store?.leaseHolder(leaseName(id))) !== undefined;
  }

  /** Sends mail to one replica. Inside of a transaction of the store, when one is given. */
  async send(to: string, mail: Mail, inside?: StoreAccess): Promise<void> {
    const write = async (access: StoreAccess): Promise<void> => {
      const key = `${this.id} ${String(++this.#mailCount).padStart(12, '0')}`;
      await access.space(mailSpace(to)).set(key, mail, { ttl: MAIL_TTL });
      await access.signal(mailChannel(to));
    };
    if (inside !== undefined) return write(inside);
    await this.store?.transaction(write, { durable: false });
  }

  /** Sends mail to all other replicas. */
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

  /** Lets the others know that this process is gone. Its last mail is not read. */
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
      // A hint that was lost costs this long.
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
      // The store is away: the next look finds what came meanwhile.
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

/** The processes that serve a board now, as its store knows them. */
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

/** A store keeps a row for each channel, so replicas share a few of them: one that is told in vain looks and finds nothing. */
function mailChannel(id: string): string {
  return `mcp-mail ${Number.parseInt(id.slice(0, 4), 16) % CHANNELS}`;
}

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolError } from '../tool/tool-error.ts';
import { SecretLists } from '../guard/secrets/secret-lists.ts';
import { createOutputStore, type OutputStore } from '../platform/outputs/output-store.ts';
import { ProcessQueue } from '../platform/process/process-queue.ts';
import type { BoardStore } from '../platform/store/board-store.ts';
import { openBoardStore, openTemporaryStore } from '../platform/store/open-board-store.ts';
import {
  checkStoreKey,
  readStoreKey,
  type KeyedStore,
  sealStore,
  type StoreKeyOptions,
} from '../platform/store/sealed-space.ts';
import { userName } from '../platform/user-name.ts';
import type { OpenBoardOptions } from './open-board-options.ts';
import { admitStore, type StorePlace } from '../load/data-folder.ts';
import type { BoardHost, StandingBoard } from '../load/features/feature-host.ts';
import { BoardFeatures } from './features/board-features.ts';
import { createHttpClients, type HttpClients } from '../platform/http/http-client.ts';

/** The key of the store in memory in a map of stores by location. */
const TEMPORARY = '';

/** Options of a board's resources. */
interface ResourceOptions extends Pick<OpenBoardOptions, 'allowHosts' | 'data' | 'processes' | 'store'> {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Parts that a board opens and keeps across reloads: secrets, outputs, processes, stores, and connections to servers and knowledge. */
export class BoardResources {
  readonly secretLists = new SecretLists();
  readonly outputs: OutputStore;
  /** The folder for outputs that are too large to return. */
  readonly outputFolder: string;
  readonly processes: ProcessQueue;
  readonly clients: HttpClients;
  readonly features = new BoardFeatures();
  /** Counts the changes that features have reported: an older list of tools must be composed again. */
  changes = 0;
  /** Composes the list of tools again; set by the board that uses these resources. */
  onChanged: () => Promise<void> = async () => {};
  /** Forwards events of features; set by the board that uses these resources. */
  emit: BoardHost['emit'] = () => {};
  readonly #stop = new AbortController();
  readonly #stores = new Map<string, BoardStore>();
  readonly #ownStore: BoardStore | undefined;
  readonly env: ResourceOptions['env'];
  readonly #hasPlace: boolean;
  readonly #keys = new Map<BoardStore, Promise<Buffer>>();
  #board: StandingBoard | undefined;

  constructor({ allowHosts = [], data, processes, store, env }: ResourceOptions) {
    this.#hasPlace = store !== undefined || data !== undefined || env['PEGBOARD_DATA'] !== undefined;
    this.clients = createHttpClients(allowHosts);
    this.outputFolder = data === undefined ? join(tmpdir(), `pegboard-${userName()}`) : join(data, 'outputs');
    this.outputs = createOutputStore({
      gate: () => this.secretLists.redactor.gate(),
      folder: this.outputFolder,
    });
    this.processes = new ProcessQueue(processes);
    this.#ownStore = typeof store === 'string' ? undefined : store;
    this.env = env;
  }

  /** Composes the list of tools again because a feature has changed. */
  changed(): Promise<void> {
    this.changes++;
    return this.onChanged();
  }

  /** Sets the board itself once it is ready, for programs and for features that call tools. */
  stand(board: StandingBoard): void {
    this.#board = board;
  }

  board(): StandingBoard {
    if (this.#board !== undefined) return this.#board;
    throw new ToolError({ code: 'busy', message: 'The board is still being opened. Call again in a moment.' });
  }

  /** Aborts when the board is closed. */
  get closed(): AbortSignal {
    return this.#stop.signal;
  }

  /** Returns the store at a location, opened on first use. */
  store(place: StorePlace): BoardStore {
    if (this.#ownStore !== undefined) return this.#ownStore;
    admitStore(place);
    const { folder, url } = place;
    const key = url ?? folder;
    const store = this.#stores.get(key) ?? openBoardStore({ folder, url });
    this.#stores.set(key, store);
    return store;
  }

  /** Returns true when a board has its own place for data: a named one, or that of its files. */
  hasOwnPlace(place: StorePlace, hasFiles: boolean): boolean {
    return this.#hasPlace || place.url !== undefined || hasFiles;
  }

  /** The store of a board without a place for data: a call must not leave a folder behind. */
  get temporaryStore(): BoardStore {
    const store = this.#stores.get(TEMPORARY) ?? openTemporaryStore();
    this.#stores.set(TEMPORARY, store);
    return store;
  }

  /** Returns the sealed store at a location, for processes with the board's key. */
  sealedStore(place: StorePlace): KeyedStore {
    return sealStore(this.store(place), { open: () => this.storeKey(place) });
  }

  /** Returns the board's key. Rejects with `invalid_config` when the store is sealed with another one. */
  storeKey(place: StorePlace): Promise<Buffer> {
    const store = this.store(place);
    const opened = this.#keys.get(store) ?? openKey(store, { folder: place.folder, env: this.env });
    this.#keys.set(store, opened);
    // The next use tries again, because the database may have been unavailable.
    opened.catch(() => this.#keys.delete(store));
    return opened;
  }

  /** Closes connections; outputs and stores stay available for calls that are ending. */
  async disconnect(): Promise<void> {
    await this.features.retire();
  }

  /** Ends running commands and requests, and closes the stores. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.clients.close();
    await this.features.close();
    this.outputs.close();
    for (const store of this.#stores.values()) await store.close();
  }
}

async function openKey(store: BoardStore, options: StoreKeyOptions): Promise<Buffer> {
  const key = readStoreKey(options);
  await checkStoreKey(store, key);
  return key;
}

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

/** Names the store in memory among the stores of places. */
const TEMPORARY = '';

/** Options of a board's resources. */
interface ResourceOptions extends Pick<OpenBoardOptions, 'allowHosts' | 'data' | 'processes' | 'store'> {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Parts that a board opens and keeps over reloads: secrets, outputs, processes, stores, connections to servers and knowledge. */
export class BoardResources {
  readonly secretLists = new SecretLists();
  readonly outputs: OutputStore;
  /** The folder with the outputs that are too large to return. */
  readonly outputFolder: string;
  readonly processes: ProcessQueue;
  readonly clients: HttpClients;
  readonly features = new BoardFeatures();
  /** Counts the changes that features have reported: an older list of tools is composed again. */
  changes = 0;
  /** Composes the list of tools again; set by the board that stands on these. */
  onChanged: () => Promise<void> = async () => {};
  /** Passes events of features on; set by the board that stands on these. */
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

  /** Composes the list of tools again, since a feature has changed. */
  changed(): Promise<void> {
    this.changes++;
    return this.onChanged();
  }

  /** Takes the board itself, once it stands: programs, and features that call tools, run on it. */
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

  /** The store at a place, opened when first asked for. */
  store(place: StorePlace): BoardStore {
    if (this.#ownStore !== undefined) return this.#ownStore;
    admitStore(place);
    const { folder, url } = place;
    const key = url ?? folder;
    const store = this.#stores.get(key) ?? openBoardStore({ folder, url });
    this.#stores.set(key, store);
    return store;
  }

  /** True when a board has a place of its own for what it keeps: one that is named, or that of its files. */
  hasOwnPlace(place: StorePlace, hasFiles: boolean): boolean {
    return this.#hasPlace || place.url !== undefined || hasFiles;
  }

  /** The store of a board that has no place of its own: a program must not leave a folder behind for a call. */
  get temporaryStore(): BoardStore {
    const store = this.#stores.get(TEMPORARY) ?? openTemporaryStore();
    this.#stores.set(TEMPORARY, store);
    return store;
  }

  /** The store at a place, as only processes with the board's key can read it. */
  sealedStore(place: StorePlace): KeyedStore {
    return sealStore(this.store(place), { open: () => this.storeKey(place) });
  }

  /** The board's key. Rejects with `invalid_config` when the store is sealed with another one. */
  storeKey(place: StorePlace): Promise<Buffer> {
    const store = this.store(place);
    const opened = this.#keys.get(store) ?? openKey(store, { folder: place.folder, env: this.env });
    this.#keys.set(store, opened);
    // A failure is tried again: the database may have been away.
    opened.catch(() => this.#keys.delete(store));
    return opened;
  }

  /** Closes connections; outputs and stores are still there for calls that end. */
  async disconnect(): Promise<void> {
    await this.features.retire();
  }

  /** Ends commands and requests that are under way, and closes what is kept. */
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

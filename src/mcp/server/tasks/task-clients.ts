import { ERROR_CODES, RequestError } from '../../protocol/json-rpc.ts';
import { META, TASKS_EXTENSION } from '../../protocol/mcp-names.ts';
import type { RequestScope } from '../request-scope.ts';
import { isPlainObject } from '../../../tool/json.ts';

export function declaresTasks({ capabilities }: RequestScope): boolean {
  const { extensions } = capabilities;
  return isPlainObject(extensions) && isPlainObject(extensions[TASKS_EXTENSION]);
}

/** Creates the error for a client without the extension. */
export function missingTasks(why: string): RequestError {
  return new RequestError(
    ERROR_CODES.missingClientCapability,
    `${why} The client has to declare the extension ${TASKS_EXTENSION}.`,
    { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  );
}

const MAX_KNOWN = 1_000;

/**
 * Clients that are known to fetch tasks.
 *
 * The server decides which calls become tasks, and some clients declare the extension without support for it: the official SDK 2.4
 * throws. A client is known once it has fetched a task, or if the settings name it.
 */
export class TaskFetchers {
  readonly #named: () => readonly string[];
  readonly #known = new Set<string>();

  constructor(named: () => readonly string[]) {
    this.#named = named;
  }

  has(scope: RequestScope): boolean {
    const named = this.#named();
    return named.includes('*') || named.includes(nameOf(scope)) || this.#known.has(keyOf(scope));
  }

  add(scope: RequestScope): void {
    const [oldest] = this.#known;
    // Clients choose their names: new ones must not fill the memory.
    if (this.#known.size >= MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    this.#known.add(keyOf(scope));
  }
}

function keyOf(scope: RequestScope): string {
  return JSON.stringify([scope.connection.caller.id, nameOf(scope)]);
}

function nameOf({ params }: RequestScope): string {
  const meta = params['_meta'];
  const info = isPlainObject(meta) ? meta[META.clientInfo] : undefined;
  const name = isPlainObject(info) ? info['name'] : undefined;
  return typeof name === 'string' ? name.slice(0, 200) : '';
}

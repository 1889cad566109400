import { isPlainObject } from '../../tool/json.ts';
import { formatNotification, type JsonRpcId, invalidParams } from '../protocol/json-rpc.ts';
import { META } from '../protocol/mcp-names.ts';
import type { Caller } from './caller.ts';
import type { Connection } from './connection.ts';
import type { Answer, RequestScope } from './request-scope.ts';

export type FollowedList = 'tools' | 'prompts' | 'resources';

interface Listener {
  readonly connection: Connection;
  readonly id: JsonRpcId;
  readonly filter: Filter;
  readonly send: (text: string) => unknown;
  /** Ends the stream because the server stops. */
  readonly end: () => void;
}

interface Filter {
  readonly lists: ReadonlySet<FollowedList>;
  readonly uris: ReadonlySet<string>;
  readonly taskIds: Set<string>;
}

const MAX_FOLLOWED = 1_000;
const LISTS = { toolsListChanged: 'tools', promptsListChanged: 'prompts', resourcesListChanged: 'resources' } as const;

interface ListenRights {
  readonly mayFollowTask: (taskId: string) => Promise<boolean>;
  /** Calls `listener` when a resource of another server changes, until the returned function is called. Never rejects. */
  readonly followResource: ((uri: string, listener: () => void) => Promise<() => void>) | undefined;
}

/** The clients that want to know of changes, in both eras. */
export class Subscriptions {
  readonly #connections = new Set<Connection>();
  readonly #listeners = new Set<Listener>();
  readonly #changed = new Set<FollowedList>();
  #timer: NodeJS.Timeout | undefined;

  /** Notifies a client of changes after its handshake. */
  follow(connection: Connection): void {
    this.#connections.add(connection);
  }

  unfollow(connection: Connection): void {
    this.#connections.delete(connection);
  }

  /** Clients after their handshake. */
  get connections(): Iterable<Connection> {
    return this.#connections;
  }

  /** Answers `subscriptions/listen` when the stream ends. */
  listen(scope: RequestScope, { mayFollowTask, followResource }: ListenRights): Promise<Answer> {
    const { notifications } = scope.params;
    const wanted = isPlainObject(notifications) ? notifications : {};
    const strings = (value: unknown): readonly string[] => {
      const named = Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
      if (named.length <= MAX_FOLLOWED) return named;
      // Each is looked up before the first answer.
      throw invalidParams(`${named.length} names are too many to follow at once; ${MAX_FOLLOWED} is the most.`);
    };
    const filter: Filter = {
      lists: new Set(Object.entries(LISTS).flatMap(([key, list]) => (wanted[key] === true ? [list] : []))),
      uris: new Set(strings(wanted['resourceSubscriptions'])),
      taskIds: new Set(strings(wanted['taskIds'])),
    };
    const verdicts = [...filter.taskIds].map(async (taskId) => {
      if (!(await mayFollowTask(taskId))) filter.taskIds.delete(taskId);
    });
    const { id, signal, connection } = scope;
    const stops: (() => void)[] = [];
    let isOver = false;
    const follow = async (uri: string, listener: Listener): Promise<void> => {
      const notify = (): unknown => listener.send(tagged('notifications/resources/updated', id, { uri }));
      const stopFollowing = await followResource?.(uri, notify);
      if (stopFollowing === undefined) return;
      if (isOver) stopFollowing();
      else stops.push(stopFollowing);
    };
    return new Promise((resolve, reject) => {
      /** Events before the acknowledgement. */
      let held: string[] | undefined = [];
      const close = (answer: Answer): void => {
        isOver = true;
        for (const stopFollowing of stops) stopFollowing();
        this.#listeners.delete(listener);
        signal.removeEventListener('abort', stop);
        resolve(answer);
      };
      const stop = (): void => close(undefined);
      const listener: Listener = {
        connection,
        id,
        filter,
        send: (text) => (held === undefined ? scope.send(text) : held.push(text)),
        end: () => close({ _meta: { [META.subscriptionId]: id } }),
      };
      const acknowledge = (): void => {
        const acknowledged = toAcknowledged(filter);
        scope.send(tagged('notifications/subscriptions/acknowledged', id, { notifications: acknowledged }));
        // Another process of the board may have listed other things.
        if (connection.repeated?.has(id) === true)
          for (const list of filter.lists) scope.send(tagged(`notifications/${list}/list_changed`, id, {}));
        for (const text of held ?? []) scope.send(text);
        held = undefined;
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#listeners.add(listener);
      if (followResource !== undefined) verdicts.push(...[...filter.uris].map((uri) => follow(uri, listener)));
      // Already listening: a task may change during the lookup.
      if (verdicts.length === 0) acknowledge();
      else
        Promise.all(verdicts).then(acknowledge, (error: unknown) => {
          reject(error);
          stop();
        });
    });
  }

  /** Notifies clients that follow a list; coalesces changes. */
  listChanged(list: FollowedList): void {
    this.#changed.add(list);
    this.#timer ??= setTimeout(() => this.#flush(), 20).unref();
  }

  /** Notifies one client of changed lists after its rights changed. */
  listsChangedFor(connection: Connection): void {
    for (const list of Object.values(LISTS)) {
      const method = `notifications/${list}/list_changed`;
      if (this.#connections.has(connection)) connection.notify?.(formatNotification(method));
      for (const { connection: listening, id, filter, send } of this.#listeners) {
        if (listening === connection && filter.lists.has(list)) send(tagged(method, id, {}));
      }
    }
  }

  /** Notifies clients that follow a resource and may see it. */
  resourceUpdated(uri: string, maySee: (caller: Caller) => boolean = () => true): void {
    const method = 'notifications/resources/updated';
    for (const { subscribed, notify, caller } of this.#connections) {
      if (subscribed.has(uri) && maySee(caller)) notify?.(formatNotification(method, { uri }));
    }
    for (const { connection, id, filter, send } of this.#listeners) {
      if (filter.uris.has(uri) && maySee(connection.caller)) send(tagged(method, id, { uri }));
    }
  }

  /** Notifies clients that follow a task and may see it. */
  taskChanged(
    taskId: string,
    task: Readonly<Record<string, unknown>>,
    maySee: (connection: Connection) => boolean,
  ): void {
    for (const { connection, id, filter, send } of this.#listeners) {
      if (filter.taskIds.has(taskId) && maySee(connection)) send(tagged('notifications/tasks', id, task));
    }
  }

  /** Ends the streams of a client that has lost its access. */
  revoke(connection: Connection): void {
    this.unfollow(connection);
    for (const listener of this.#listeners) if (listener.connection === connection) listener.end();
  }

  close(): void {
    clearTimeout(this.#timer);
    // Ending a listener removes it from the set.
    for (const listener of this.#listeners) listener.end();
  }

  #flush(): void {
    this.#timer = undefined;
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const list of changed) {
      const method = `notifications/${list}/list_changed`;
      for (const connection of this.#connections) connection.notify?.(formatNotification(method));
      for (const { id, filter, send } of this.#listeners) if (filter.lists.has(list)) send(tagged(method, id, {}));
    }
  }
}

function tagged(method: string, id: JsonRpcId, params: Readonly<Record<string, unknown>>): string {
  return formatNotification(method, { ...params, _meta: { [META.subscriptionId]: id } });
}

function toAcknowledged({ lists, uris, taskIds }: Filter): Readonly<Record<string, unknown>> {
  const followed = Object.entries(LISTS).filter(([, list]) => lists.has(list));
  return {
    ...Object.fromEntries(followed.map(([key]) => [key, true])),
    ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
    ...(taskIds.size > 0 ? { taskIds: [...taskIds] } : {}),
  };
}

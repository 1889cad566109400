import type { BoardParts } from '../../discovery/board-like.ts';
import type { CallServices } from './call-tool.ts';
import { declaresApps } from './client-info.ts';
import { pageOf } from '../../tool/app-pages.ts';
import { APPS_EXTENSION } from '../protocol/mcp-names.ts';
import { ServerLogs } from './client-notifications.ts';
import { describeServer, initialize, joinInstructions, type ServerInfo, setLevel } from './handshake.ts';
import type { MethodHandler, RequestScope } from './request-scope.ts';
import { RequestStates } from './request-state.ts';
import type { McpServerOptions } from './server-options.ts';
import { createBoardPrompts, createBoardResources } from './sources/board-offers.ts';
import { resourceFollowers } from './sources/resource-followers.ts';
import { skillCapability, skillMethods, sourceMethods } from './sources/source-methods.ts';
import { Subscriptions } from './subscriptions.ts';
import { sessionTaskMethods, wantsSessionTasks } from './tasks/session-tasks.ts';
import { Tasks } from './tasks/tasks.ts';
import { ToolCatalog, type ToolView } from './tool-catalog.ts';

/** The handlers of both eras, and the services that announce changes. */
export interface Methods extends MethodTables {
  readonly catalog: ToolCatalog;
  readonly subscriptions: Subscriptions;
  readonly tasks: Tasks;
  update(options: McpServerOptions): void;
  close(): Promise<void>;
}

/** The parts that depend on the options. */
interface MethodTables {
  readonly legacy: ReadonlyMap<string, MethodHandler>;
  readonly modern: ReadonlyMap<string, MethodHandler>;
  readonly info: ServerInfo;
}

/** Creates the handlers of both eras. */
export function createMethods(board: BoardParts, given: McpServerOptions): Methods {
  const options = redactOptions(board, given);
  const catalog = new ToolCatalog(board, options);
  const subscriptions = new Subscriptions();
  const services: CallServices = { board, catalog, states: new RequestStates({ store: () => board.sealed }) };
  const tasks = new Tasks(services, subscriptions, options.tasks);
  const parts = { services, subscriptions, tasks, firstList: createFirstList(board) };
  const logs = new ServerLogs(subscriptions, catalog);
  const stopLogs = board.offers?.onLog?.((line) => logs.forward(line));
  const methods: Methods = {
    ...createTables(options, parts),
    catalog,
    subscriptions,
    tasks,
    update(changed) {
      const next = redactOptions(board, changed);
      catalog.update(next);
      tasks.update(next.tasks);
      Object.assign(methods, createTables(next, parts));
    },
    async close() {
      stopLogs?.();
      const kept = tasks.close();
      subscriptions.close();
      await kept;
    },
  };
  return methods;
}

function redactOptions({ registry }: BoardParts, options: McpServerOptions): McpServerOptions {
  const { name, title, instructions } = options;
  const shown = Object.entries({ name, title, instructions }).filter(([, text]) => text !== undefined);
  return { ...options, ...registry.executor.redactor.data(Object.fromEntries(shown)) };
}

function createTables(
  options: McpServerOptions,
  parts: {
    readonly services: CallServices;
    readonly subscriptions: Subscriptions;
    readonly tasks: Tasks;
    readonly firstList: FirstList;
  },
): MethodTables {
  const { services, subscriptions, tasks } = parts;
  const { board, catalog } = services;
  const info = describeServer(options);
  const instruct = ({ connection: { caller } }: RequestScope): string | undefined => {
    const { servers = [] } = board;
    const { redactor } = board.registry.executor;
    const known = servers.map(({ name, instructions = '' }) => ({ name, instructions: redactor.text(instructions) }));
    return joinInstructions(options.instructions, known, catalog.view(caller.access).registry);
  };
  const extensionsFor = (scope: RequestScope): object => ({
    ...skillCapability(board.offers, scope),
    ...appsCapability(catalog.view(scope.connection.caller.access)),
  });
  const followers = resourceFollowers(board.offers, services.states);
  const { pageSize = 1_000, listTtl = 60_000, firstList = 3_000, prompts = [], resources = [] } = options;
  const { describeTools = true } = options;
  const shared: Readonly<Record<string, MethodHandler>> = {
    'tools/list': ({ connection, era, params, capabilities }) => {
      const { caller } = connection;
      const page = (): string => {
        const options = { tasks: wantsSessionTasks(connection), pages: declaresApps(capabilities) };
        const list = catalog.view(caller.access).list(options);
        return list.page(params['cursor'], { era, isPublic: caller.id === '' });
      };
      const waiting = parts.firstList(firstList);
      return waiting === undefined ? page() : waiting.then(page);
    },
    ...skillMethods(board, { pageSize, listTtl }),
    ...sourceMethods({
      prompts: [...(describeTools ? [createBoardPrompts(board)] : []), ...prompts],
      resources: [createBoardResources(board, describeTools), ...resources],
      board,
      states: services.states,
      pageSize,
      listTtl,
    }),
  };
  return {
    info,
    legacy: new Map(
      Object.entries({
        ...shared,
        ...sessionTaskMethods(tasks, services),
        initialize: (scope: RequestScope) => ({
          ...initialize(scope, info, { subscriptions, extensions: extensionsFor(scope) }),
          instructions: instruct(scope),
        }),
        ping: () => '{}',
        'logging/setLevel': setLevel,
        'resources/subscribe': (scope: RequestScope) => followers.subscribe(scope),
        'resources/unsubscribe': (scope: RequestScope) => followers.unsubscribe(scope),
      }),
    ),
    modern: new Map(
      Object.entries({
        ...shared,
        'server/discover': (scope: RequestScope) => ({
          ...withExtensions(info.discovered, extensionsFor(scope)),
          instructions: instruct(scope),
          cacheScope: scope.connection.caller.access.key === '' ? 'public' : 'private',
        }),
        'subscriptions/listen': (scope: RequestScope) =>
          subscriptions.listen(scope, {
            mayFollowTask: (taskId) => tasks.mayFollow(scope, taskId),
            followResource:
              board.offers === undefined ? undefined : (uri, listener) => followers.follow(scope, uri, listener),
          }),
        'tools/call': (scope: RequestScope) => tasks.call(scope),
        ...tasks.methods(),
      }),
    ),
  };
}

/** Adds the extensions that this client may use to the answer of `server/discover`. */
function withExtensions(discovered: ServerInfo['discovered'], extensions: object): ServerInfo['discovered'] {
  const { capabilities } = discovered;
  if (Object.keys(extensions).length === 0) return discovered;
  return {
    ...discovered,
    capabilities: { ...capabilities, extensions: { ...capabilities.extensions, ...extensions } },
  };
}

/** Waits for servers before the first list of tools; `undefined` if there is nothing to wait for. */
type FirstList = (limit: number) => Promise<void> | undefined;

/**
 * Creates the wait of a newly opened board: many clients list its tools once and must not miss those of servers that are still starting.
 * Simultaneous lists share the wait; later ones do not wait, because changes are announced.
 */
function createFirstList(board: BoardParts): FirstList {
  let waiting: Promise<void> | undefined;
  let isOver = board.ready === undefined;
  const wait = async (limit: number): Promise<void> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), limit);
    try {
      await board.ready?.({ signal: late.signal });
    } catch {
      // A timeout, or a failed server: the available tools are listed.
    } finally {
      clearTimeout(timer);
      isOver = true;
      waiting = undefined;
    }
  };
  return (limit) => {
    if (isOver) return undefined;
    isOver = limit <= 0 || board.servers?.every(({ offered }) => offered !== undefined) !== false;
    return isOver ? undefined : (waiting ??= wait(limit));
  };
}

/** Declares pages if a tool of this caller shows one. */
function appsCapability({ registry }: ToolView): Readonly<Record<string, object>> {
  return registry.getAll().some(({ metadata }) => pageOf(metadata._meta) !== undefined) ? { [APPS_EXTENSION]: {} } : {};
}

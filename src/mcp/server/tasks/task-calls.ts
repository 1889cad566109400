import { isPlainObject } from '../../../tool/json.ts';
import type { Tool } from '../../../tool/tool.ts';
import { mayRepeat } from '../../../tool/tool-metadata.ts';
import { toStoredName } from '../../../platform/store/seal-by-id.ts';
import type { SealedStore } from '../../../platform/store/sealed-space.ts';
import type { RequestScope } from '../request-scope.ts';
import type { TaskBeginning } from './task-record.ts';

const SPACE = 'mcp-task-calls';

/** A call that a task does. */
export type TaskCall = Readonly<Record<'name' | 'arguments', unknown>>;

/** Keeps the exact calls of tasks, sealed, so that another process can go on with one whose process died. */
export class TaskCalls {
  readonly #open: () => SealedStore | undefined;

  constructor(open: () => SealedStore | undefined) {
    this.#open = open;
  }

  /** Keeps a call for as long as its task. Whether it did. */
  async keep(taskId: string, { name, arguments: args }: TaskCall, ttl: number): Promise<boolean> {
    const store = this.#open();
    if (store === undefined) return false;
    return store
      .space(SPACE)
      .set(toStoredName(taskId), { name, arguments: args }, { ttl })
      .then(
        () => true,
        // The work goes on without it; it cannot be taken over.
        () => false,
      );
  }

  async find(taskId: string): Promise<TaskCall | undefined> {
    const kept = await this.#open()?.space(SPACE).get(toStoredName(taskId));
    return isPlainObject(kept) ? { name: kept['name'], arguments: kept['arguments'] } : undefined;
  }

  /** Forgets the call of a task that is over. */
  async forget(taskId: string): Promise<void> {
    await this.#open()
      ?.space(SPACE)
      .delete(toStoredName(taskId))
      .catch(() => undefined);
  }
}

/** When the tool of a call began to run: noted before it does, in the task's record where there is one by then. */
export class CallStart {
  /** Keeps it; set once there is a task. Rejects when it cannot: then the tool must not run. */
  keep: ((began: TaskBeginning) => Promise<void>) | undefined;
  #began: TaskBeginning | undefined;

  get began(): TaskBeginning | undefined {
    return this.#began;
  }

  async note(tool: Tool): Promise<void> {
    this.#began = { tool: tool.metadata.name, mayRepeat: mayRepeat(tool) };
    await this.keep?.(this.#began);
  }
}

/** A request as if its client had made this call with it. */
export function withCall(scope: RequestScope, { name, arguments: args }: TaskCall): RequestScope {
  return {
    id: scope.id,
    method: 'tools/call',
    params: { name, arguments: args },
    era: scope.era,
    connection: scope.connection,
    capabilities: scope.capabilities,
    logLevel: undefined,
    signal: scope.signal,
    cancellation: scope.cancellation,
    send: (text) => scope.send(text),
  };
}

import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Board } from '../../../board/board.ts';
import type { ToolRegistry } from '../../../board/registry/tool-registry.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import type { Approve } from '../../../tool/calls/approval.ts';
import { type CallClient, withApprover } from '../../../tool/calls/call-owner.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolContext } from '../../../tool/tool-context.ts';

/** A board that serves others too. */
export interface RunningBoard {
  readonly board: Board;
  /** The paths of the files that it was opened with, without links in their folders. */
  readonly files: readonly string[];
  /** The folder that its relative paths start from. */
  readonly cwd: string;
}

interface LendOptions {
  /** The same files as the command names them. */
  readonly named: readonly string[];
  /** The working folder of the command. */
  readonly cwd: string;
  readonly approve: Approve | undefined;
}

type CallArguments = Parameters<Board['call']>;

/**
 * Returns a running board as one command sees it: the paths of its files are those that the command would show had it opened them, approvals of
 * its calls are answered by `approve` alone, and events about calls are those of its own. Closing it ends only its listeners.
 */
export function lendBoard({ board, files, cwd: home }: RunningBoard, { named, cwd, approve }: LendOptions): Board {
  const approver: CallClient['approver'] = { approve };
  const show = createPathShower({ named, files, cwd });
  const shown = <T extends { readonly file: string }>(item: T): T => ({
    ...item,
    file: show(resolve(home, item.file)),
  });
  const call = (...[name, args, options]: CallArguments): ReturnType<Board['call']> => {
    const { context = {} } = options ?? {};
    // A call inside another one has its client already.
    const own = context instanceof ToolContext ? context : withApprover(context, approver);
    return board.call(name, args, { ...options, context: own });
  };
  // The types of its own methods, whose overloads a function here cannot repeat.
  const registry = override(board.registry, { call: call as ToolRegistry['call'] });
  const on: Board['on'] = (event, listener) =>
    board.on(event, (payload) => {
      const client: unknown = isPlainObject(payload) ? payload['client'] : undefined;
      return isPlainObject(client) && client['approver'] !== approver ? undefined : listener(payload);
    });
  const listening: (() => void)[] = [];
  return override<Board>(board, {
    registry,
    call,
    on(event, listener) {
      const stop = on(event, listener);
      listening.push(stop);
      return stop;
    },
    async close() {
      for (const stop of listening) stop();
    },
    get files() {
      return board.files.map((file: LoadedFile) => shown(file));
    },
    get diagnostics() {
      return board.diagnostics.map(shown);
    },
  });
}

/** Makes the function that shows an absolute path as a board does that is opened with these names in this folder. */
function createPathShower({
  named,
  files,
  cwd,
}: Pick<LendOptions, 'named' | 'cwd'> & Pick<RunningBoard, 'files'>): (path: string) => string {
  const folders = named.map((name, index) => [dirname(files[index] ?? ''), dirname(resolve(cwd, name))] as const);
  return (path) => {
    const [real = '', given = ''] = folders.find(([folder]) => path.startsWith(`${folder}${sep}`)) ?? [];
    const own = real === given ? path : join(given, relative(real, path));
    const shown = relative(cwd, own) || own;
    return shown.startsWith('..') ? own : shown;
  };
}

/** Returns an object with some members replaced. Its methods keep their own `this`, for private fields. */
function override<T extends object>(object: T, own: Partial<T>): T {
  return new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key);
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

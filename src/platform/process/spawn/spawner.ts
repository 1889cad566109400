import { basename } from 'node:path';
import { HelperClient } from './helper-client.ts';
import {
  type ChildExit,
  type SpawnError,
  type SpawnRequest,
  type SpawnedChild,
  toSpawnError,
} from './spawned-child.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { spawnMarked } from './spawn-helper.ts';

/** Starts children in the cheapest way. */
export interface Spawner {
  /** Starts a child. Never rejects. */
  spawn(request: SpawnRequest): Promise<SpawnedChild | SpawnError>;
  /** Ends the helper process, if any, and its children. */
  close(): void;
}

export interface SpawnerOptions {
  /** Bytes of memory above which a helper starts the children of this process. Default: 96 MiB. */
  readonly threshold?: number;
  /** Calls above the threshold before a helper is started: a process that makes one call and exits needs none. Default: 1. */
  readonly directCalls?: number;
  /** Returns the bytes of memory that this process uses. */
  readonly readMemory?: () => number;
}

/** A fork took 1.4 ms with 50 MB, 4 ms with 116 and 22 ms with 246, which soon costs more than a helper's memory. */
const DEFAULT_THRESHOLD = 96 * 1024 * 1024;
/** Milliseconds before a retry after a helper failed to start. */
const RETRY_AFTER = 60_000;

/** Creates a spawner. Node forks the whole process for each child, so a large process uses a small helper. */
export function createSpawner(options: SpawnerOptions = {}): Spawner {
  const { threshold = DEFAULT_THRESHOLD, directCalls = 1, readMemory = readRss } = options;
  let directLeft = directCalls;
  let helper: Promise<HelperClient | undefined> | undefined;
  let retryAt = 0;

  /** Returns the running helper, starts another if it has ended, or returns `undefined` if none can run. */
  const findHelper = async (): Promise<HelperClient | undefined> => {
    const current = helper;
    const client = await current;
    if (client !== undefined && !client.isGone) return client;
    // Another call may have started one meanwhile.
    if (helper === current) {
      if (!canHelp() || performance.now() < retryAt) return undefined;
      helper = HelperClient.start().catch(() => {
        retryAt = performance.now() + RETRY_AFTER;
        return undefined;
      });
    }
    return helper;
  };

  return {
    async spawn(request) {
      const isLarge = readMemory() > threshold;
      const client = isLarge && directLeft-- <= 0 ? await findHelper() : undefined;
      return client === undefined ? spawnDirectly(request) : client.spawn(request);
    },
    close() {
      void helper?.then((client) => client?.close());
      helper = undefined;
    },
  };
}

let shared: Spawner | undefined;

/** Returns the default spawner, created on first use. */
export function sharedSpawner(): Spawner {
  return (shared ??= createSpawner());
}

function readRss(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    // Reading memory takes a file descriptor. If none is left, starting the child will report it.
    return 0;
  }
}

/** Returns false for a program that bundles Node: it would start itself instead of the helper. */
function canHelp(): boolean {
  return process.platform !== 'win32' && /^node(js)?[\d.]*$/.test(basename(process.execPath));
}

/** Starts a child directly. Node forks this process, which is cheap while it is small. */
async function spawnDirectly(request: SpawnRequest): Promise<SpawnedChild | SpawnError> {
  let child: ChildProcess;
  try {
    const tools = { spawn, fs, platform: process.platform };
    child = spawnMarked(tools, request, [request.hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe']);
  } catch (error) {
    return toSpawnError(error);
  }
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null)
    return new Promise((resolve) => child.once('error', (error) => resolve(toSpawnError(error))));
  const exit = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ type: 'exited', code, signal }));
  });
  return { type: 'started', pid, stdin: stdin ?? undefined, stdout, stderr, exit };
}

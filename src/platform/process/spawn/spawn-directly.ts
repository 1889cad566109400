import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { spawnMarked } from './spawn-marked.ts';
import {
  type ChildExit,
  type SpawnedChild,
  type SpawnError,
  type SpawnRequest,
  toSpawnError,
} from './spawned-child.ts';

/** Starts a child from this process, which Node forks for it: cheap while this process is small. */
export async function spawnDirectly(request: SpawnRequest): Promise<SpawnedChild | SpawnError> {
  let child: ChildProcess;
  try {
    const tools = { spawn, fs, platform: process.platform };
    child = spawnMarked(tools, request, [request.hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe']);
  } catch (error) {
    return toSpawnError(error);
  }
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) {
    return new Promise((resolve) => child.once('error', (error) => resolve(toSpawnError(error))));
  }
  const exit = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ type: 'exited', code, signal }));
  });
  return { type: 'started', pid, stdin: stdin ?? undefined, stdout, stderr, exit };
}

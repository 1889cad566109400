import { type ChildProcess, spawn } from 'node:child_process';
import {
  type ChildExit,
  type SpawnedChild,
  type SpawnError,
  type SpawnRequest,
  toSpawnError,
} from './spawned-child.ts';

/** Starts a child from this process, which Node forks for it: cheap while this process is small. */
export async function spawnDirectly(request: SpawnRequest): Promise<SpawnedChild | SpawnError> {
  const { file, args, cwd, env, hasStdin } = request;
  let child: ChildProcess;
  try {
    child = spawn(file, args, { cwd, env, detached: true, stdio: [hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
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

import type { ChildProcess, IOType, spawn, SpawnOptions } from 'node:child_process';
import type { closeSync, constants, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { SpawnRequest } from './spawned-child.ts';

/** The parts of Node that are used. */
export interface SpawnTools {
  readonly spawn: typeof spawn;
  readonly fs: {
    readonly openSync: typeof openSync;
    readonly closeSync: typeof closeSync;
    readonly unlinkSync: typeof unlinkSync;
    readonly readFileSync: typeof readFileSync;
    readonly writeFileSync: typeof writeFileSync;
    readonly constants: Pick<typeof constants, 'O_RDONLY' | 'O_CREAT' | 'O_EXCL'>;
  };
  readonly platform: NodeJS.Platform;
}

type Stdio = readonly [stdin: IOType | Socket | undefined, stdout: IOType | Socket, stderr: IOType | Socket];

/**
 * Starts a child that leads a process group and carries the mark of its call: in its environment, in an open file and in its timer slack.
 * No program in between is necessary.
 *
 * A helper receives this function as text, so it may use only its parameters.
 */
export function spawnMarked(
  { spawn, fs, platform }: SpawnTools,
  { file, args, cwd, env, mark }: SpawnRequest,
  stdio: Stdio,
): ChildProcess {
  const options: SpawnOptions = { cwd, env, detached: true };
  // Without /proc the marks could not be read.
  if (platform !== 'linux') return spawn(file, args, { ...options, stdio: [...stdio] });
  const SLACK = '/proc/self/timerslack_ns';
  const openMark = (folder: string): number | undefined => {
    const path = `${folder}/pegboard-${mark.id}`;
    try {
      const descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_CREAT | fs.constants.O_EXCL, 0o400);
      fs.unlinkSync(path);
      return descriptor;
    } catch {
      return undefined;
    }
  };
  const setSlack = (value: number): number => {
    try {
      const before = Number(fs.readFileSync(SLACK, 'latin1'));
      // A real-time process has no slack.
      if (before > 0) fs.writeFileSync(SLACK, String(value));
      return before;
    } catch {
      return 0;
    }
  };
  const open = openMark('/dev/shm') ?? openMark('/tmp');
  const slackBefore = mark.slack === undefined ? 0 : setSlack(mark.slack);
  try {
    return spawn(file, args, { ...options, stdio: open === undefined ? [...stdio] : [...stdio, open] });
  } finally {
    if (slackBefore > 0) fs.writeFileSync(SLACK, String(slackBefore));
    if (open !== undefined) fs.closeSync(open);
  }
}

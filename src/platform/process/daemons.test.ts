import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runProcess } from './run-process.ts';
import {
  describeBothWays,
  env,
  eventually,
  expectExit,
  isAlive,
  readPids,
  type Run,
  temporaryFolder,
} from './spawners.test-helper.ts';

const folder = temporaryFolder();
let files = 0;

/** A daemon that exits on TERM and one that does not. Each writes its pid to the file in its first argument. */
const PATIENT = 'echo $BASHPID >> $1; exec sleep 600';
const STUBBORN = "trap '' TERM HUP; echo $BASHPID >> $1; while :; do sleep 600; done";
const CLOSING = 'for fd in 0 1 2 3 4 5 6 7 8 9; do eval "exec $fd>&-"; done;';

/** Runs a script that starts a daemon and loses it. `$DAEMON` is its program and `$FILE` its output file. */
async function startDaemon(run: Run, script: string, daemon: string, signal?: AbortSignal) {
  const file = join(folder, `pids-${files++}`);
  const running = run('bash', ['-c', script], { env: { ...env, DAEMON: daemon, FILE: file }, signal, grace: 20 });
  const [pid = 0] = await readPids(file, 1);
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  return { running, pid };
}

const WAYS: [what: string, start: string, daemon: string][] = [
  ['emptied its environment', 'env -i /usr/bin/setsid /bin/bash -c "$DAEMON" _ $FILE', PATIENT],
  ['emptied its environment and ignores TERM', 'env -i /usr/bin/setsid /bin/bash -c "$DAEMON" _ $FILE', STUBBORN],
  ['has another name', 'cd /; exec -c -a "[kworker]" /usr/bin/setsid /bin/bash -c "$DAEMON" _ $FILE', PATIENT],
  ['was started with nohup', 'nohup setsid bash -c "$DAEMON" _ $FILE > /dev/null 2>&1', PATIENT],
  [
    'claims to be of another call',
    'env -i PEGBOARD_CALL=0123456789abcdef0123456789abcdef /usr/bin/setsid /bin/bash -c "$DAEMON" _ $FILE',
    PATIENT,
  ],
  ['forked once more', 'env -i /usr/bin/setsid /bin/bash -c "($DAEMON) & exit" _ $FILE', PATIENT],
];

describe.runIf(process.platform === 'linux')('a daemon whose parents are gone', () => {
  describeBothWays('cancelled', (run) => {
    it.each(WAYS)('is found although it %s', async (_what, start, daemon) => {
      const controller = new AbortController();
      const script = `(${start} &) ; exec sleep 600`;
      const { running, pid } = await startDaemon(run, script, daemon, controller.signal);
      controller.abort();
      expect(expectExit(await running).signal).toBe('SIGTERM');
      expect(await eventually(() => !isAlive(pid))).toBe(true);
    });

    // Only root can read the timer slack of other processes.
    it.runIf(process.geteuid?.() === 0)(
      'is found although it emptied its environment and closed its files',
      async () => {
        const controller = new AbortController();
        const script = '(env -i /usr/bin/setsid /bin/bash -c "$DAEMON" _ $FILE &) ; exec sleep 600';
        const { running, pid } = await startDaemon(run, script, CLOSING + STUBBORN, controller.signal);
        controller.abort();
        await running;
        expect(await eventually(() => !isAlive(pid))).toBe(true);
      },
    );

    it.runIf(process.geteuid?.() === 0)('is found although it claims another call and closed its files', async () => {
      const controller = new AbortController();
      const claim = 'PEGBOARD_CALL=0123456789abcdef0123456789abcdef';
      const script = `(env -i ${claim} /usr/bin/setsid /bin/bash -c "$DAEMON" _ $FILE &) ; exec sleep 600`;
      const { running, pid } = await startDaemon(run, script, CLOSING + STUBBORN, controller.signal);
      controller.abort();
      await running;
      expect(await eventually(() => !isAlive(pid))).toBe(true);
    });

    it('is left alone after a normal exit, also when another call is cancelled', async () => {
      const left = await startDaemon(
        run,
        '(env -i /usr/bin/setsid /bin/bash -c "$DAEMON" _ $FILE &)',
        CLOSING + PATIENT,
      );
      expect(expectExit(await left.running).code).toBe(0);
      const controller = new AbortController();
      const script = '(env -i /usr/bin/setsid /bin/bash -c "$DAEMON" _ $FILE &) ; exec sleep 600';
      const { running, pid } = await startDaemon(run, script, PATIENT, controller.signal);
      controller.abort();
      await running;
      expect(await eventually(() => !isAlive(pid))).toBe(true);
      expect(isAlive(left.pid)).toBe(true);
    });
  });

  it('neither slows timers of children nor leaves a file', async () => {
    const exit = expectExit(await runProcess({ file: 'bash', args: ['-c', 'readlink /proc/self/fd/3'], env }));
    const path = exit.stdout.type === 'whole' ? exit.stdout.bytes.toString() : '';
    expect(path).toMatch(/^\/.*\/pegboard-[0-9a-f]{32} \(deleted\)\n$/);
    expect(existsSync(path.split(' ')[0] ?? '')).toBe(false);
  });
});

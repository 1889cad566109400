import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LeftOutReporter } from './scripts/test-set-up/left-out-reporter.ts';

const FILES = ['src/**/*.test.ts', 'test/**/*.test.ts'];

/** Signs of a test that starts processes, or changes what a process has once: it needs a process of its own. */
const OWN_PROCESS =
  /child_process|cli-program|terminal\.test-helper|upstream-boards|run-story|playwright|postgres|new Worker\(|useFakeTimers|stubEnv|spyOn|globalThis|memoryUsage|\/proc\/|SIG[A-Z]{3}|process\.(?:on|once|off|pid|chdir)\b|type: '?cli\b/;

/** Other tests share a process with the sources loaded, which takes most files longer than their tests. */
const shared = globSync(FILES, { cwd: import.meta.dirname }).filter(
  (file) => !OWN_PROCESS.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
);

function project(test: NonNullable<TestProjectInlineConfiguration['test']>): TestProjectInlineConfiguration {
  return {
    test: {
      typecheck: { enabled: false },
      // Most tests of whole systems wait for processes: with a file for each core the cores would be idle for a third of the time.
      maxWorkers: availableParallelism() + 1,
      // They only end what hangs: tests pass on a machine whose cores are all taken.
      testTimeout: 240_000,
      // Some hooks build and pack the whole package, one after the other.
      hookTimeout: 900_000,
      expect: { poll: { timeout: 120_000 } },
      ...test,
    },
  };
}

export default defineConfig({
  test: {
    globalSetup: ['test/built.global-setup.ts'],
    reporters: ['default', new LeftOutReporter()],
    // In the order of their names: the long files start first, and the many short ones fill the end of a run.
    projects: [
      project({ name: 'alone', include: FILES, exclude: [...configDefaults.exclude, ...shared] }),
      project({ name: 'shared', include: shared, isolate: false }),
    ],
  },
});

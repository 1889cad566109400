import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LeftOutReporter } from './scripts/test-set-up/left-out-reporter.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/built.global-setup.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', new LeftOutReporter()],
    typecheck: { enabled: false },
    // Most tests of whole systems wait for processes: with a file for each core the cores would be idle for a third of the time.
    maxWorkers: availableParallelism() + 1,
    // They only end what hangs: tests pass on a machine whose cores are all taken.
    testTimeout: 240_000,
    // Some hooks build and pack the whole package, one after the other.
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000 } },
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/built.global-setup.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    typecheck: { enabled: false },
    // Most tests wait for processes: one core less, as is usual, would leave one worker on a machine with two.
    maxWorkers: '100%',
    // They only end what hangs: tests pass on a machine whose cores are all taken.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
  },
});

import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { howToGet, PARTS, type PartName } from './parts.ts';

/** Names at the end of a run each part that tests were left out for, how many it cost and how to get it. */
export class LeftOutReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const missing = new Set(this.#vitest?.getRootProject().getProvidedContext().missingParts);
    const counts = new Map<PartName, number>();
    let total = 0;
    for (const test of modules.flatMap((module) => [...module.children.allTests('skipped')])) {
      const parts = partsOf(test).filter((name) => missing.has(name));
      if (parts.length > 0) total++;
      for (const name of parts) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    if (total === 0) return;
    console.log(` Left out: ${total} ${total === 1 ? 'test' : 'tests'}, for parts that this machine does not have`);
    const width = Math.max(...[...counts.keys()].map((name) => name.length));
    for (const [name, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      console.log(
        `  ${name.padEnd(width)} ${String(count).padStart(4)}  ${PARTS[name].why}. Get it: ${howToGet(name)}`,
      );
    console.log(
      ' npm test gets them by itself, packages where it runs as root with apt-get. PEGBOARD_TEST_INSTALL=0 prevents it.\n',
    );
    if (process.env['PEGBOARD_TEST_COMPLETE'] === '1') {
      console.error('PEGBOARD_TEST_COMPLETE=1, and tests were left out.');
      process.exitCode = 1;
    }
  }
}

/** The parts that a test and the groups around it need. */
function partsOf(test: TestCase): PartName[] {
  const parts = new Set(test.meta().needs ?? []);
  for (let group = test.parent; group.type === 'suite'; group = group.parent)
    for (const name of group.meta().needs ?? []) parts.add(name);
  return [...parts];
}

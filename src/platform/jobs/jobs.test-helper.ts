// A process that claims a job and writes entries until it is killed: node jobs.test-helper.ts FOLDER [STORE]. Prints the number of each
// entry that is on disk.
import { openBoardStore } from '../store/open-board-store.ts';
import { sealStore } from '../store/sealed-space.ts';
import { Jobs } from './jobs.ts';
import type { SealedStore } from '../store/sealed-space.ts';
import type { JobKind } from './job-record.ts';

const DAY = 86_400_000;
interface TestInfo {
  readonly title: string;
  readonly step?: number;
}
export type TestJobs = Jobs<
  TestInfo,
  { readonly number: number; readonly text?: string },
  { readonly answer: unknown }
>;

/** Opens the jobs in a store as every process of a board does: with one key. */
export function openJobs(store: SealedStore, more: Partial<JobKind> = {}): TestJobs {
  return new Jobs(() => store, { name: 'test-jobs', keepEnded: DAY, ...more });
}

/** Opens a sealed store as every process of a board does. */
export function openSealed(store: Parameters<typeof sealStore>[0]): SealedStore {
  return sealStore(store, { open: async () => Buffer.alloc(32, 7) });
}

if (process.argv[1] === import.meta.filename) {
  const [folder = '', url] = process.argv.slice(2);
  const jobs = openJobs(openSealed(openBoardStore({ folder, url })));
  const job = await jobs.open('counting', { owner: 'ada', info: { title: 'Count' }, entries: [] });
  if (typeof job === 'string') throw new Error(`The job is ${job}.`);
  for (let number = job.entries.length; ; number++) {
    await job.append([{ number }], { info: { step: number } });
    process.stdout.write(`${number}\n`);
  }
}

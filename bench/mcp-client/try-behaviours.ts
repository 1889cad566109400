import type { Caller, Target } from './caller.ts';
import { startServer } from './start-server.ts';

type Connect = (target: Target) => Promise<Caller>;

/** The behaviours of a client that a board needs, each with the path of the server that tests it. */
const BEHAVIOURS: Readonly<
  Record<string, { readonly path: string; readonly check: (caller: Caller) => Promise<boolean> }>
> = {
  'refuses an answer above the limit': { path: 'huge', check: fails },
  'refuses an event above the limit, while it comes': { path: 'endless', check: fails },
  'fails at once when a stream ends without the answer': { path: 'cut', check: fails },
  'goes on after a stream was cut (Last-Event-ID)': { path: 'resume', check: works },
  'opens a new session when the server forgot the old one': { path: 'expire', check: works },
  'does so when the server answers 400': { path: 'expire-400', check: works },
  "gives a server's question to the call that it is about": {
    path: 'ask',
    check: async (caller) => {
      const people = ['ada', 'grace', 'joan'];
      const answers = await Promise.all(people.map((who) => caller.call({}, { who })));
      return answers.join() === people.join();
    },
  },
  'renews an expired token once for three calls at once': {
    path: 'login',
    check: async (caller) => {
      const answers = await Promise.all([1, 2, 3].map(() => caller.call({ a: 2, b: 3 }, { who: 'ada' })));
      return answers.join() === '5,5,5';
    },
  },
  'reaches a server of 2024 (HTTP+SSE) by its address alone': { path: 'oldest', check: works },
};

/** Half of a caller's patience: what fails later failed by its timeout. */
const AT_ONCE = 2000;

async function works(caller: Caller): Promise<boolean> {
  return (await caller.call({ a: 2, b: 3 }, { who: 'ada' })) === '5';
}

async function fails(caller: Caller): Promise<boolean> {
  const started = performance.now();
  return caller.call({}, { who: 'ada' }).then(
    () => false,
    () => performance.now() - started < AT_ONCE,
  );
}

/** Tries every behaviour with each client, against a server of its own. */
export async function tryBehaviours(
  clients: Readonly<Record<string, Connect>>,
): Promise<readonly (readonly string[])[]> {
  const rows: string[][] = [];
  for (const [name, { path, check }] of Object.entries(BEHAVIOURS)) {
    const row = [name];
    for (const connect of Object.values(clients)) {
      const server = await startServer();
      const target = { url: `${server.url}/${path}`, era: 'legacy', maxFrame: 1_000_000 } as const;
      const holds = await connect(target)
        .then(async (caller) => {
          const outcome = await check(caller).catch(() => false);
          await caller.close().catch(() => {});
          return outcome;
        })
        .catch(() => false);
      row.push(holds ? 'yes' : 'no');
      server.stop();
    }
    rows.push(row);
  }
  return rows;
}

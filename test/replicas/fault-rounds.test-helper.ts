// Rounds of kill -9 under load: what was acknowledged must be there, once, and for the right client.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createMCPClient } from '@ai-sdk/mcp';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Answer, messagesOf, modern } from '../mcp/http-client.test-helper.ts';
import { openBoard } from '../../src/index.ts';
import {
  AUTHORIZATION,
  createRandom,
  placeReplicaBoard,
  startBalancer,
  startReplica,
  type TestReplica,
} from './replicas.test-helper.ts';

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const info = { name: 'faults', version: '1.0.0' };
const requestInit = { requestInit: { headers: AUTHORIZATION } };

/** The findings of all rounds. Every list is empty when everything held. */
export interface FaultReport {
  readonly rounds: number;
  /** Calls and tasks that were acknowledged. */
  readonly acknowledged: number;
  readonly tasks: number;
  /** Approvals whose answers were acknowledged. */
  readonly approvals: number;
  /** Calls that a kill interrupted: their clients got an error. */
  readonly interrupted: number;
  /** Lines of the record that were seen. */
  readonly recorded: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly misdirected: readonly string[];
  readonly lostTasks: readonly string[];
  readonly lostApprovals: readonly string[];
  readonly lostRecords: readonly string[];
}

/** Calls `write` with an id; gives the text of the answer, and rejects when there is none. */
type WriteCall = (id: string) => Promise<string>;

const textOf = (result: unknown): string => /"text":"([^"]+)"/.exec(JSON.stringify(result))?.[1] ?? '';

/** Opens a client of each of four programs. */
const OPENERS: readonly ((url: string) => Promise<{ readonly write: WriteCall; close(): Promise<unknown> }>)[] = [
  async (url) => {
    const client = new ClientV1(info);
    await client.connect(new HttpV1(new URL(url), requestInit));
    return {
      write: async (id) => textOf(await client.callTool({ name: 'write', arguments: { id } })),
      close: () => client.close(),
    };
  },
  async (url) => {
    const client = new ClientV2(info, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new HttpV2(new URL(url), requestInit));
    return {
      write: async (id) => textOf(await client.callTool({ name: 'write', arguments: { id } })),
      close: () => client.close(),
    };
  },
  async (url) => {
    const client = await createMCPClient({ transport: { type: 'http', url, headers: AUTHORIZATION } });
    return {
      write: async (id) => textOf(await client.callTool({ name: 'write', arguments: { id } })),
      close: () => client.close(),
    };
  },
  async (url) => ({
    async write(id) {
      const params = { name: 'write', arguments: { id } };
      const response = await modern(url, { method: 'tools/call', params }, AUTHORIZATION);
      for await (const message of messagesOf(response)) if ('result' in message) return textOf(message);
      throw new Error(`There was no answer: ${response.status}`);
    },
    close: async () => undefined,
  }),
];

/** Runs rounds: calls of all clients, a task, and a kill at a random moment of each. */
export async function runFaultRounds(options: {
  readonly folder: string;
  /** An address of PostgreSQL. Default: SQLite in the folder. */
  readonly store?: string;
  readonly rounds: number;
  readonly seed: number;
  readonly onRound?: (round: number) => void;
}): Promise<FaultReport> {
  const { folder, store, rounds, seed } = options;
  const random = createRandom(seed);
  const file = placeReplicaBoard(folder);
  const env = { PEGBOARD_DATA: join(folder, 'data'), ...(store === undefined ? {} : { PEGBOARD_STORE: store }) };
  const replicas: TestReplica[] = await Promise.all([1, 2, 3].map(() => startReplica(file, { env })));
  const balancer = await startBalancer(() => replicas, random);
  const board = await openBoard(file, { env: { ...process.env, ...env } });
  const acknowledged: string[] = [];
  const misdirected: string[] = [];
  const tasks = new Set<string>();
  const recorded = new Set<string>();
  let interrupted = 0;
  const end = new AbortController();

  const runClient = async (open: (typeof OPENERS)[number]): Promise<void> => {
    while (!end.signal.aborted) {
      // A client whose handshake or session broke begins anew, as programs do.
      const client = await open(balancer.url).catch(() => undefined);
      if (client === undefined) {
        await wait(20);
        continue;
      }
      for (let failures = 0; failures < 3 && !end.signal.aborted;) {
        const id = randomUUID();
        // Processes that start need some of the machine too.
        await wait(10);
        const text = await client.write(id).catch(() => undefined);
        if (text === id) acknowledged.push(id);
        else {
          failures++;
          interrupted++;
          if (text !== undefined && /^[0-9a-f-]{36}$/.test(text)) misdirected.push(`${id} got ${text}`);
        }
      }
      await client.close().catch(() => undefined);
    }
  };
  const runTask = async (): Promise<void> => {
    const params = { name: 'job', arguments: { id: randomUUID() } };
    const message = { method: 'tools/call', params, capabilities: TASKS };
    const answer = (await modern(balancer.url, message, AUTHORIZATION)
      .then((response) => response.json())
      .catch(() => undefined)) as Answer | undefined;
    const taskId = answer?.result?.['taskId'];
    if (typeof taskId === 'string') tasks.add(taskId);
  };

  const answered: string[] = [];
  /** Says yes to what waits, in this process, which is none of the replicas. The first answer counts: another round may have been faster. */
  const answerWaiting = async (): Promise<boolean> => {
    const before = answered.length;
    for (const { id } of await board.approvals.list()) {
      const record = await board.approvals.answer(id, { allow: true }).catch(() => undefined);
      if (record !== undefined) answered.push(id);
    }
    return answered.length > before;
  };
  /** Calls a tool that needs a yes until its question was answered: a kill may end a call before it asked. */
  const runApproval = async (): Promise<void> => {
    for (let isAnswered = false; !isAnswered;) {
      const params = { name: 'pay', arguments: { id: randomUUID() } };
      const call = modern(balancer.url, { method: 'tools/call', params }, AUTHORIZATION)
        .then((response) => response.text())
        .catch(() => undefined);
      const isOver = call.then(() => true);
      do isAnswered = await answerWaiting();
      while (!isAnswered && !(await Promise.race([isOver, wait(20, false)])));
      // The replica that waited may be gone, and its connection with it.
      await Promise.race([call, wait(2_000)]);
    }
  };

  const clients = OPENERS.map(runClient);
  for (let round = 1; round <= rounds; round++) {
    const working = Promise.all([runTask(), runTask(), runApproval()]);
    await wait(random() * 100);
    const place = Math.floor(random() * replicas.length);
    const [victim] = replicas.splice(place, 1);
    await victim?.kill();
    replicas.push(await startReplica(file, { env }));
    await working;
    const lines = await board.store.journal.read({ tool: 'write', limit: 10_000 });
    for (const { call } of lines) recorded.add(call);
    options.onRound?.(round);
  }
  end.abort();
  await Promise.all(clients);

  const lostTasks: string[] = [];
  for (const taskId of tasks) {
    const answer = await settleTask(balancer.url, taskId);
    if (answer === undefined) lostTasks.push(taskId);
  }
  const kept = new Set<string>();
  for (let before: number | undefined; ;) {
    const lines = await board.store.journal.read({ tool: 'write', limit: 5_000, before });
    for (const { call } of lines) kept.add(call);
    before = lines.at(-1)?.number;
    if (before === undefined) break;
  }
  const lostApprovals: string[] = [];
  for (const id of answered) {
    const record = await board.approvals.get(id);
    if (record === undefined || record.status === 'waiting') lostApprovals.push(id);
  }
  balancer.close();
  await Promise.all(replicas.map((replica) => replica.kill()));
  await board.close();
  const written = readFileSync(join(folder, 'lines'), 'utf8').trim().split('\n');
  const counts = new Map<string, number>();
  for (const id of written) counts.set(id, (counts.get(id) ?? 0) + 1);
  return {
    rounds,
    acknowledged: acknowledged.length,
    tasks: tasks.size,
    approvals: answered.length,
    interrupted,
    recorded: recorded.size,
    lost: acknowledged.filter((id) => !counts.has(id)),
    doubled: [...counts].filter(([, count]) => count > 1).map(([id]) => id),
    misdirected,
    lostTasks,
    lostApprovals,
    lostRecords: [...recorded].filter((call) => !kept.has(call)),
  };
}

/** Returns the final state of a task; `undefined` when no replica knows it. */
async function settleTask(url: string, taskId: string): Promise<string | undefined> {
  for (;;) {
    const message = { method: 'tasks/get', params: { taskId }, capabilities: TASKS };
    const answer = (await (await modern(url, message, AUTHORIZATION)).json()) as Answer;
    const status = answer.result?.['status'];
    if (typeof status !== 'string') return undefined;
    if (status !== 'working') return status;
    await wait(50);
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection, InteropClient, Person, PersonAnswer, Target } from './client.ts';
import { FEATURES, type Feature, type Outcome, type Outcomes, type Way } from './features.ts';
import { findAll, findObject, saysWhatFailed, textOf } from './look-inside.ts';

/** Says yes or no to the call of a tool that waits, as another process of the board. */
export type AnswerElsewhere = (tool: string, allow: boolean) => Promise<void>;

/** The things that a check works with. */
interface Trial {
  readonly connection: Connection;
  readonly target: Target;
  readonly answerElsewhere: AnswerElsewhere;
  /** True when the client lets its user answer questions. */
  readonly asks: boolean;
  /** Milliseconds that something which must happen may take. */
  readonly patience: number;
  /** The person's next answer, and the questions that the person was asked. */
  readonly person: { answer: PersonAnswer; readonly asked: string[] };
}

type Check = (trial: Trial) => Promise<string | undefined>;

/** Tries features of a client over one way. Default: all. */
export async function checkClient(
  client: InteropClient,
  way: Way,
  {
    target,
    answerElsewhere,
    features = FEATURES,
  }: {
    readonly target: Target;
    readonly answerElsewhere: AnswerElsewhere;
    readonly features?: readonly Feature[];
  },
): Promise<{ readonly protocol: string | undefined; readonly outcomes: Outcomes }> {
  const person: Trial['person'] = { answer: { action: 'decline' }, asked: [] };
  const ask: Person = ({ message }) => {
    person.asked.push(String(message));
    return person.answer;
  };
  const connection = await client.open(target, way, ask);
  const asks = client.lacks.elicitation === undefined;
  const trial = { connection, target, answerElsewhere, person, asks };
  try {
    const outcomes: Partial<Record<Feature, Outcome>> = {};
    for (const feature of features) outcomes[feature] = await judge(client, feature, trial);
    return { protocol: connection.protocol(), outcomes };
  } finally {
    await connection.close().catch(() => undefined);
  }
}

async function judge(
  { lacks, faults }: InteropClient,
  feature: Feature,
  given: Omit<Trial, 'patience'>,
): Promise<Outcome> {
  const why = lacks[feature];
  // Features that are known to fail get less time.
  const trial = { ...given, patience: faults?.[feature] === undefined ? PATIENCE : PATIENCE / 20 };
  try {
    if (why !== undefined) {
      const instead = await INSTEAD[feature]?.(trial);
      return instead === undefined ? { type: 'not offered', why } : { type: 'works', remark: instead };
    }
    const remark = await within(CHECKS[feature](trial));
    return { type: 'works', ...(remark === undefined ? {} : { remark }) };
  } catch (error) {
    return { type: 'fails', message: saysWhatFailed(error) };
  }
}

/** Milliseconds. Only what hangs takes as long: checks pass on a machine whose cores are all taken. */
const PATIENCE = 100_000;

/** A client that never answers fails, and the run goes on. */
async function within<T>(work: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = wait(2 * PATIENCE, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`There was no answer within ${(2 * PATIENCE) / 1_000} seconds.`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
    late.catch(() => undefined);
  }
}

function expectThat(isTrue: boolean, message: string): asserts isTrue {
  if (!isTrue) throw new Error(message);
}

/** Returns the driver's method for a feature that the client offers, or throws. */
function need<T>(method: T | undefined, name: string): T {
  expectThat(method !== undefined, `The driver has no "${name}".`);
  return method;
}

const STATIC = 'everything+demo://resource/static/document/features.md';
const TEMPLATE = 'everything+demo://resource/dynamic/text/{resourceId}';

const CHECKS: Readonly<Record<Feature, Check>> = {
  async list({ connection }) {
    const names = await connection.tools();
    const missing = ['wait', 'wipe', 'count', 'everything__echo', 'everything__simulate-research-query'].filter(
      (name) => !names.some((each) => each.endsWith(name)),
    );
    expectThat(missing.length === 0, `Not listed: ${missing.join(', ')}`);
    return undefined;
  },

  async call({ connection }) {
    const word = randomUUID();
    const result = await connection.call('everything__echo', { message: word });
    expectThat(textOf(result).includes(`Echo: ${word}`), `Not the result: ${textOf(result).slice(0, 200)}`);
    return undefined;
  },

  async structured({ connection }) {
    const result = await connection.call('everything__get-structured-content', { location: 'Chicago' });
    const data = findObject(result, (each) => typeof each['temperature'] === 'number' && 'humidity' in each);
    expectThat(data !== undefined, `No object with a temperature: ${textOf(result).slice(0, 200)}`);
    return undefined;
  },

  async images({ connection }) {
    const result = await connection.call('everything__get-tiny-image', {});
    const isImage = (text: string): boolean => /^(data:image\/png;base64,)?iVBORw0KGgo[\w+/]{1000,}=*$/.test(text);
    expectThat(findAll(result, isImage).length === 1, `No image: ${textOf(result).slice(0, 200)}`);
    return undefined;
  },

  async links({ connection }) {
    const result = await connection.call('everything__get-resource-links', { count: 2 });
    const links = findAll(result, (text) => /^everything\+demo:\/\/resource\/dynamic\/\w+\/\d+$/.test(text));
    expectThat(links.length === 2, `Not two links: ${textOf(result).slice(0, 300)}`);
    if (connection.read !== undefined) for (const uri of links) await connection.read(uri);
    return undefined;
  },

  async resources({ connection }) {
    const uris = await need(connection.resources, 'resources')();
    expectThat(uris.includes(STATIC), `Not listed: ${STATIC}`);
    const read = need(connection.read, 'read');
    expectThat(/Everything Server/i.test(textOf(await read(STATIC))), `Not the text of ${STATIC}`);
    const templates = await connection.templates?.();
    expectThat(templates?.includes(TEMPLATE) !== false, `Not listed: ${TEMPLATE}`);
    const filled = TEMPLATE.replace('{resourceId}', '3');
    expectThat(textOf(await read(filled)).includes('Resource 3'), `Not the text of ${filled}`);
    return undefined;
  },

  async prompts({ connection }) {
    const names = await need(connection.prompts, 'prompts')();
    expectThat(names.includes('everything__args-prompt'), `Not listed among: ${names.join(', ')}`);
    const prompt = await need(connection.prompt, 'prompt')('everything__args-prompt', { city: 'Bern' });
    expectThat(textOf(prompt).includes('Bern'), `Not the prompt: ${textOf(prompt).slice(0, 200)}`);
    return undefined;
  },

  async progress({ connection }) {
    const heard: unknown[] = [];
    const args = { duration: 1, steps: 4 };
    const onProgress = (report: unknown): unknown => heard.push(report);
    await connection.call('everything__trigger-long-running-operation', args, { onProgress });
    expectThat(heard.length >= 3, `${heard.length} of 4 reports came.`);
    expectThat(
      findObject(heard[0], (each) => each['total'] === 4) !== undefined,
      `Not a report: ${JSON.stringify(heard[0])}`,
    );
    return undefined;
  },

  async cancel({ connection, target, patience }) {
    const file = join(target.folder, randomUUID());
    const stop = new AbortController();
    const call = connection.call('wait', { file }, { signal: stop.signal }).then(textOf, saysWhatFailed);
    await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'), {
      patience,
      otherwise: 'The call did not begin.',
    });
    stop.abort();
    await call;
    const process = Number(readFileSync(file, 'utf8'));
    await until(() => !isAlive(process), {
      patience,
      otherwise: 'The tool ran on after the client had cancelled its call.',
    });
    return undefined;
  },

  async elicitation({ connection, person }) {
    person.answer = { action: 'accept', content: { name: 'Ada Lovelace' } };
    const before = person.asked.length;
    const result = await connection.call('everything__trigger-elicitation-request', {});
    expectThat(person.asked.length === before + 1, 'The person was not asked.');
    expectThat(textOf(result).includes('Name: Ada Lovelace'), `Not the answer: ${textOf(result).slice(0, 200)}`);
    return undefined;
  },

  async approval(trial) {
    const { connection, person, answerElsewhere, asks } = trial;
    const asked = person.asked.length;
    for (const allow of [false, true]) {
      person.answer = allow ? { action: 'accept', content: { approve: true } } : { action: 'decline' };
      const call = connection.call('wipe', {}).then(textOf, saysWhatFailed);
      if (!asks) await answerElsewhere('wipe', allow);
      const isWiped = /\bwiped\b/.test(await call);
      expectThat(isWiped === allow, `After a ${allow ? 'yes' : 'no'}: ${(await call).slice(0, 200)}`);
    }
    expectThat(!asks || person.asked.length === asked + 2, 'The person was not asked each time.');
    return asks ? undefined : 'elsewhere';
  },

  async handles({ connection }) {
    const [, id] = /id "([\w-]+)"/.exec(textOf(await connection.call('count', {}))) ?? [];
    expectThat(id !== undefined, 'The result names no id.');
    const page = textOf(await connection.call('output_read', { id, offset: 9999, lines: 2 }));
    expectThat(/\b10000\b/.test(page), `Not the line that was left out: ${page.slice(0, 200)}`);
    if (connection.read === undefined) return 'by a tool';
    const whole = textOf(await connection.read(`pegboard://outputs/${id}`));
    expectThat(/\b10000\b/.test(whole), `Not the whole output: ${whole.slice(0, 200)}`);
    return undefined;
  },

  async tasks({ connection }) {
    const result = await need(connection.task, 'task')('everything__simulate-research-query', { topic: 'tea' });
    expectThat(textOf(result).includes('Research Report: tea'), `Not the result: ${textOf(result).slice(0, 200)}`);
    return undefined;
  },
};

/** Checks for clients that do not offer the feature itself. */
const INSTEAD: Readonly<Partial<Record<Feature, Check>>> = {
  // The server runs it only as a task: the board makes the task, and the client waits for an ordinary result.
  async tasks({ connection }) {
    const result = await connection.call('everything__simulate-research-query', { topic: 'tea' });
    expectThat(textOf(result).includes('Research Report: tea'), `Not the result: ${textOf(result).slice(0, 200)}`);
    return 'the board waits';
  },
};

async function until(
  isSo: () => boolean,
  { patience, otherwise }: { readonly patience: number; readonly otherwise: string },
): Promise<void> {
  const limit = performance.now() + patience;
  while (!isSo()) {
    if (performance.now() > limit) throw new Error(otherwise);
    await wait(20);
  }
}

function isAlive(process: number): boolean {
  try {
    return globalThis.process.kill(process, 0);
  } catch {
    return false;
  }
}

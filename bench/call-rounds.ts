// Measures every way to call the tool, in rounds, and sends the timings to call-overhead.ts.
import { loadBuilt } from './load-built.ts';
import { type CallSubject, createCallSubjects, type Sample } from './call-subjects.ts';
import { measureInRounds, type Subject } from './rounds.ts';

const { ToolResult } = await loadBuilt('index');

const ROUNDS = 50;
const WARM_UP_CALLS = 20_000;
const BATCH_MILLISECONDS = 3;
const SAMPLES: readonly Sample[] = Array.from({ length: 64 }, (_, index) => toSample(index, index + 1));

const prepared: Subject[] = [];
for (const subject of createCallSubjects()) prepared.push(await prepare(subject));
const timings = await measureInRounds(prepared, ROUNDS);
process.send?.([...timings]);

/** Proves that a subject answers rightly and checks its input, warms it up, and finds how many calls make a batch. */
async function prepare(subject: CallSubject): Promise<Subject> {
  await verify(subject);
  await timeBatch(subject, WARM_UP_CALLS);
  let calls = 100;
  while ((await timeBatch(subject, calls)) * calls < BATCH_MILLISECONDS * 1e6) calls *= 2;
  return { name: subject.name, measure: () => timeBatch(subject, calls) };
}

async function timeBatch(subject: CallSubject, calls: number): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < calls; index++) {
    const sample = SAMPLES[index % SAMPLES.length];
    if (sample !== undefined) await subject.call(sample);
  }
  return ((performance.now() - start) * 1e6) / calls;
}

async function verify(subject: CallSubject): Promise<void> {
  const answer = toText(await subject.call(toSample(2, 40)));
  if (answer !== '42 km') throw new Error(`${subject.name} answered ${JSON.stringify(answer)} instead of "42 km".`);
  if (subject.name === 'bare function') return;
  const wrong = await subject.call(toSample('2', 40)).then(toText, String);
  if (wrong === '240 km') throw new Error(`${subject.name} ran the tool with a string where a number belongs.`);
}

function toText(answer: unknown): unknown {
  return answer instanceof ToolResult ? answer.text : answer;
}

function toSample(left: unknown, right: number): Sample {
  const input = { left, right, unit: 'km' };
  // A wrong sample is made on purpose, to see it refused.
  return { input: input as Sample['input'], json: JSON.stringify(input) };
}

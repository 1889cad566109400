// Measures the cost of a schema: to make, at its first check and at later ones.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { loadBuilt } from './load-built.ts';
import type { ToolSchema } from '../src/index.ts';
import { makeInput, makeJsonSchema, makeMany, makeZodSchema } from './many-schemas.ts';
import { type Bar, formatFigure, publish } from './report.ts';
import { collectGarbage, measureInRounds, medianOf, ratioOf } from './rounds.ts';

const { defineTool } = await loadBuilt('index');

const SCHEMAS = 1_000;
const ROUNDS = 9;
const LATER_CHECKS = 20;
const STEPS = ['make', 'first check', 'later check', 'make + first check'] as const;

type Check = (input: unknown) => boolean;

interface Engine {
  readonly name: string;
  /** Asked for anew in each round, so that nothing is kept from the round before. */
  readonly createMaker: () => (number: number) => Check;
}

const ENGINES: readonly Engine[] = [
  { name: 'Pegboard, JSON Schema', createMaker: () => (number) => toToolCheck(makeJsonSchema(number)) },
  { name: 'Pegboard, zod', createMaker: () => (number) => toToolCheck(makeZodSchema(number)) },
  { name: 'ajv', createMaker: createAjvMaker },
  { name: 'zod', createMaker: () => toZodCheck },
];

const inputs = makeMany(SCHEMAS, makeInput);
const timings = new Map<string, number[]>(ENGINES.flatMap(({ name }) => STEPS.map((step) => [`${name}: ${step}`, []])));
await measureInRounds(
  ENGINES.map((engine) => ({ name: engine.name, measure: () => measureSteps(engine) })),
  ROUNDS,
);

publish({
  name: 'first-check',
  tables: [
    {
      caption: `µs per schema; ${SCHEMAS.toLocaleString('en-US')} different schemas of five fields, median of ${ROUNDS} rounds:`,
      head: ['Checked by', ...STEPS],
      rows: ENGINES.map(toRow),
    },
  ],
  bars: [quickerThan('ajv'), quickerThan('zod')],
});

function toRow({ name }: Engine): string[] {
  const figures = STEPS.map((step) => formatFigure(medianOf(timings, `${name}: ${step}`)));
  return [name, ...figures];
}

function measureSteps({ name, createMaker }: Engine): number {
  const make = createMaker();
  const note = (step: (typeof STEPS)[number], milliseconds: number): unknown =>
    timings.get(`${name}: ${step}`)?.push((milliseconds * 1e3) / SCHEMAS);
  collectGarbage();
  const started = performance.now();
  const checks = makeMany(SCHEMAS, make);
  const made = performance.now();
  checkAll(checks);
  const checked = performance.now();
  for (let round = 0; round < LATER_CHECKS; round++) checkAll(checks);
  const ended = performance.now();
  note('make', made - started);
  note('first check', checked - made);
  note('later check', (ended - checked) / LATER_CHECKS);
  note('make + first check', checked - started);
  return ended - started;
}

function checkAll(checks: readonly Check[]): void {
  for (const [number, check] of checks.entries()) {
    if (!check(inputs[number])) throw new Error(`Schema ${number} refused its own input.`);
  }
}

function toToolCheck(schema: ToolSchema): Check {
  const tool = defineTool({ name: 'find', description: 'Finds pegs.', schema, execute: () => 'found' });
  return (input) => {
    const validation = tool.validate(input);
    return 'ok' in validation && validation.ok;
  };
}

function createAjvMaker(): (number: number) => Check {
  const ajv = new Ajv2020();
  return (number) => {
    const validate = ajv.compile(makeJsonSchema(number));
    return (input) => validate(input);
  };
}

function toZodCheck(number: number): Check {
  const schema = makeZodSchema(number);
  return (input) => schema.safeParse(input).success;
}

function quickerThan(name: string): Bar {
  const step = 'make + first check';
  const ratio = ratioOf(timings, `${name}: ${step}`, `Pegboard, JSON Schema: ${step}`);
  return {
    promise: `a JSON Schema tool gives its first answer before ${name} does`,
    measured: `${name} takes ${formatFigure(ratio)} ×`,
    passed: ratio > 1,
  };
}

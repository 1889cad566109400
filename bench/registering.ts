// Measures the cost of registering many tools, and of listing them.
import { loadBuilt } from './load-built.ts';
import type { ToolRegistry as Registry, ToolSchema } from '../src/index.ts';
import { countSchemaReads } from './count-schema-reads.ts';
import { makeJsonSchema, makeMany, makeZodSchema } from './many-schemas.ts';
import { atMost, formatFigure, publish, type Table } from './report.ts';
import { collectGarbage, measureInRounds, medianOf, ratioOf, type Subject, type Timings } from './rounds.ts';

const { defineTool, ToolRegistry } = await loadBuilt('index');

const SIZES = [1_000, 2_000, 5_000, 10_000, 20_000];
const TOOLS_PER_MEASUREMENT = 20_000;
const ROUNDS = 5;
const BOARD_SIZE = 1_000;
const KINDS = [
  { kind: 'JSON Schema', makeSchema: makeJsonSchema },
  { kind: 'zod', makeSchema: makeZodSchema },
];

const growth = await measureInRounds(
  KINDS.flatMap(({ kind, makeSchema }) => SIZES.map((size) => toGrowthSubject(`${kind} ${size}`, size, makeSchema))),
  ROUNDS,
);
const asking = await measureInRounds(
  [
    { name: 'first', measure: timeFirst },
    { name: 'later', measure: timeLater },
  ],
  15,
);
const reads = countSchemaReads();

publish({
  name: 'registering',
  tables: [toGrowthTable(growth), toDefinitionsTable(asking)],
  bars: [
    ...KINDS.flatMap(({ kind }) => [
      atMost(`${kind}: a tool on a board of 20,000 costs at most 1.5 × one on a board of 1,000`, growthOf(kind), {
        limit: 1.5,
        unit: '×',
      }),
      atMost(`${kind}: 10,000 tools take less than 300 ms`, medianOf(growth, `${kind} 10000`) * 10, {
        limit: 300,
        unit: 'ms',
      }),
    ]),
    {
      promise: 'registering compiles no validator: the first call reads the schema, later calls do not',
      measured: `${reads.registering} reads to register, ${reads.firstCall} at the first call, ${reads.laterCall} later`,
      passed: reads.firstCall > 0 && reads.laterCall === 0,
    },
    atMost('definitions() of an unchanged board takes less than 1 µs', medianOf(asking, 'later'), {
      limit: 1000,
      unit: 'ns',
    }),
  ],
});

/** Measures microseconds per tool. Every size gets the same number of new schemas, so that none has warmer ones. */
function toGrowthSubject(name: string, size: number, makeSchema: (number: number) => ToolSchema): Subject {
  return {
    name,
    measure: () => {
      const schemas = makeMany(TOOLS_PER_MEASUREMENT, makeSchema);
      const portions = makeMany(TOOLS_PER_MEASUREMENT / size, (board) =>
        schemas.slice(board * size, (board + 1) * size),
      );
      collectGarbage();
      const start = performance.now();
      const boards = portions.map(fillBoard);
      const spent = performance.now() - start;
      if (boards.some((board) => board.size !== size)) throw new Error(`A board does not have its ${size} tools.`);
      return (spent * 1e3) / TOOLS_PER_MEASUREMENT;
    },
  };
}

function fillBoard(schemas: readonly ToolSchema[]): Registry {
  const registry = new ToolRegistry();
  for (const [number, schema] of schemas.entries()) {
    registry.register(
      defineTool({ name: `tool_${number}`, description: 'Finds pegs.', schema, execute: () => 'found' }),
    );
  }
  return registry;
}

function growthOf(kind: string): number {
  return ratioOf(growth, `${kind} 20000`, `${kind} 1000`);
}

function timeFirst(): number {
  const registry = fillBoard(makeMany(BOARD_SIZE, makeJsonSchema));
  const start = performance.now();
  registry.definitions();
  return (performance.now() - start) * 1e6;
}

function timeLater(): number {
  const registry = fillBoard(makeMany(BOARD_SIZE, makeJsonSchema));
  const calls = 100_000;
  let seen = registry.definitions().length;
  const start = performance.now();
  for (let call = 0; call < calls; call++) seen += registry.definitions().length;
  const spent = performance.now() - start;
  if (seen !== BOARD_SIZE * (calls + 1)) throw new Error(`definitions() gave ${seen} definitions in all.`);
  return (spent * 1e6) / calls;
}

function toGrowthTable(timings: Timings): Table {
  const toRow = (size: number): string[] => {
    const figures = KINDS.flatMap(({ kind }) => {
      const perTool = medianOf(timings, `${kind} ${size}`);
      return [formatFigure((perTool * size) / 1e3), perTool.toFixed(2)];
    });
    return [size.toLocaleString('en-US'), ...figures];
  };
  return {
    caption: `\`defineTool\` and \`register\`, one by one, the schemas made before; median of ${ROUNDS} rounds:`,
    head: ['Tools on a board', ...KINDS.flatMap(({ kind }) => [`${kind}, ms`, `${kind}, µs per tool`])],
    rows: SIZES.map(toRow),
  };
}

function toDefinitionsTable(timings: Timings): Table {
  return {
    caption: `\`definitions()\` of a board of ${BOARD_SIZE.toLocaleString('en-US')} JSON Schema tools:`,
    head: ['Call', 'time'],
    rows: [
      ['first', `${formatFigure(medianOf(timings, 'first') / 1e6)} ms`],
      ['later', `${formatFigure(medianOf(timings, 'later'))} ns`],
    ],
  };
}

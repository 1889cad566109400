import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Documents, queries and which documents answer which query. */
export interface RagSet {
  readonly name: string;
  readonly documents: readonly { readonly id: string; readonly text: string }[];
  readonly queries: readonly RagQuery[];
}

/** A query with how well each document answers it. */
export interface RagQuery {
  readonly text: string;
  readonly gains: ReadonlyMap<string, number>;
}

interface Line {
  readonly _id?: string;
  readonly title?: string;
  readonly text?: string;
  readonly 'query-id'?: string;
  readonly 'corpus-id'?: string;
  readonly score?: number;
}

/** Reads every set in `PEGBOARD_BENCH_DATA`, or in `../shared/data` beside the project. */
export function readRagSets(): RagSet[] {
  const data = process.env['PEGBOARD_BENCH_DATA'] ?? fileURLToPath(new URL('../../../shared/data', import.meta.url));
  if (!existsSync(`${data}/rag`)) {
    throw new Error(`There is no folder rag in ${data}. Set PEGBOARD_BENCH_DATA to the folder that has it.`);
  }
  return readdirSync(`${data}/rag`).map((name) => readSet(`${data}/rag/${name}`, name));
}

function readSet(folder: string, name: string): RagSet {
  const gains = new Map<string, Map<string, number>>();
  for (const line of readLines(`${folder}/qrels.jsonl`)) {
    const query = String(line['query-id']);
    if (!gains.has(query)) gains.set(query, new Map());
    if ((line.score ?? 0) > 0) gains.get(query)?.set(String(line['corpus-id']), line.score ?? 0);
  }
  return {
    name,
    documents: readLines(`${folder}/corpus.jsonl`).map(({ _id, title, text }) => ({
      id: String(_id),
      text: [title, text].filter(Boolean).join('\n'),
    })),
    queries: readLines(`${folder}/queries.jsonl`).flatMap(({ _id, text = '' }) => {
      const found = gains.get(String(_id));
      return found === undefined || found.size === 0 ? [] : [{ text, gains: found }];
    }),
  };
}

function readLines(path: string): Line[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

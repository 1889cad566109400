import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Feature, Outcome, Outcomes, Way } from './features.ts';
import type { ServerReport } from './servers/run.ts';

/** The outcome of one client. */
export interface ClientReport {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** The revisions of the protocol that client and board agreed on, where the client tells. */
  readonly protocols: Readonly<Partial<Record<Way, string>>>;
  readonly ways: Readonly<Partial<Record<Way, Outcomes>>>;
  /** Why a feature fails, where the client is the cause. */
  readonly faults: Readonly<Partial<Record<Feature, string>>>;
}

/** The findings of a run. */
export interface InteropResults {
  /** The version of Pegboard. */
  readonly version: string;
  readonly node: string;
  readonly clients: readonly ClientReport[];
  readonly servers: readonly ServerReport[];
}

const FILE = join(import.meta.dirname, 'results.json');

/** Reads the findings of the last run with `--write`. */
export function readInteropResults(): InteropResults {
  // Written below.
  return JSON.parse(readFileSync(FILE, 'utf8')) as InteropResults;
}

/** Keeps what a run found, beside what earlier runs found of clients and servers that it did not try; gives all. */
export function writeInteropResults(results: InteropResults): InteropResults {
  const earlier = existsSync(FILE) ? readInteropResults() : results;
  const clients = replaceNamed(earlier.clients, results.clients);
  const all = { ...results, clients, servers: replaceNamed(earlier.servers, results.servers) };
  writeFileSync(FILE, `${JSON.stringify(all, undefined, 2)}\n`);
  return all;
}

/** The list with newer items in place of those with the same name, and others at its end. */
function replaceNamed<T extends { readonly name: string }>(earlier: readonly T[], newer: readonly T[]): T[] {
  const names = new Set(earlier.map(({ name }) => name));
  const kept = earlier.map((item) => newer.find(({ name }) => name === item.name) ?? item);
  return [...kept, ...newer.filter(({ name }) => !names.has(name))];
}

/** Lists failures that are not known to be the fault of a client: `Mastra, stdio, images: …`. */
export function listFailures({ clients, servers }: Pick<InteropResults, 'clients' | 'servers'>): string[] {
  const failing = clients.flatMap(({ name, ways, faults }) =>
    Object.entries(ways).flatMap(([way, outcomes]) =>
      Object.entries(outcomes).flatMap(([feature, outcome]: [string, Outcome]) => {
        // The keys of outcomes are features.
        const isKnown = faults[feature as Feature] !== undefined;
        return outcome.type === 'fails' && !isKnown ? [`${name}, ${way}, ${feature}: ${outcome.message}`] : [];
      }),
    ),
  );
  const differing = servers.flatMap(({ package: name, differences }) => differences.map((each) => `${name}, ${each}`));
  return [...failing, ...differing];
}

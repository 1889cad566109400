import { findObject } from '../look-inside.ts';
import { compare, outcomeOf, toPlain } from './compare.ts';
import type { Place, TrialServer } from './server.ts';
import { callTool, type Side } from './sides.ts';

/** The columns of the table of servers. */
export const ASPECTS = [
  'tools',
  'calls',
  'structured',
  'images',
  'links',
  'resources',
  'prompts',
  'progress',
  'elicitation',
  'tasks',
] as const;
export type Aspect = (typeof ASPECTS)[number];

/** A number of things on the server, and the number of those that are the same through the board. */
export interface Share {
  readonly all: number;
  readonly same: number;
}

/** The outcome of one server. */
export interface ServerOutcome {
  readonly shares: Readonly<Record<Aspect, Share>>;
  /** Differences between the server and the board. */
  readonly differences: readonly string[];
}

const isOf = (type: string) => (result: unknown) => findObject(result, (each) => each['type'] === type) !== undefined;
/** Kinds of content that results may have. */
const CONTENT = {
  structured: (result: unknown) => findObject(result, (each) => 'structuredContent' in each) !== undefined,
  images: isOf('image'),
  links: isOf('resource_link'),
} as const;
/** Times in texts of resources and prompts. */
const TIME = /\d+:\d+:\d+( [AP]M)?/g;

/** Compares what a client gets of a server through the board with what it gets of the server itself. */
export async function checkServer(
  server: TrialServer,
  { direct, board, place }: { readonly direct: Side; readonly board: Side; readonly place: Place },
): Promise<ServerOutcome> {
  const shares = Object.fromEntries(ASPECTS.map((aspect) => [aspect, { all: 0, same: 0 }]));
  const differences: string[] = [];
  const count = (aspect: Aspect, isSame: boolean): void => {
    const { all, same } = shares[aspect] ?? { all: 0, same: 0 };
    shares[aspect] = { all: all + 1, same: same + (isSame ? 1 : 0) };
  };
  /** Counts one thing, and notes how it differs. */
  const judge = (aspect: Aspect, what: string, [own, through]: readonly [string, string]): boolean => {
    const comparison = compare(own, through);
    count(aspect, comparison.isSame);
    if (!comparison.isSame) differences.push(`${what}: ${comparison.difference}`);
    return comparison.isSame;
  };
  /** Two failures are the same and prove nothing. */
  const mustFail = (must: boolean, what: string, own: unknown): void => {
    if (isFailure(own) === must) return;
    differences.push(`${what} ${must ? 'succeeds' : 'fails'} without the board: ${toPlain(own, server.name)}`);
  };
  const both = async (get: (side: Side) => Promise<unknown>): Promise<readonly [unknown, unknown]> => [
    await outcomeOf(get(direct)),
    await outcomeOf(get(board)),
  ];
  const plain = ([own, through]: readonly [unknown, unknown], varies?: RegExp): readonly [string, string] => [
    toPlain(own, server.name, varies),
    toPlain(through, server.name, varies),
  ];

  const listed = (await board.client.listTools()).tools;
  for (const own of (await direct.client.listTools()).tools) {
    const found = listed.find(({ name }) => name === board.toName(own.name));
    judge('tools', `tool ${own.name}`, plain([toDefinition(own), toDefinition(found ?? {})]));
  }

  for (const trial of server.calls(place)) {
    if (trial.isTask) {
      // The client has no tasks: the board waits for the server's, which the server itself refuses to such a client.
      const result = await outcomeOf(callTool(board, trial));
      judge('tasks', `task ${trial.tool}`, ['done', isFailure(result) ? toPlain(result, server.name) : 'done']);
      continue;
    }
    const results = await both((side) => callTool(side, trial));
    const isSame = judge('calls', `call ${trial.tool}`, plain(results, trial.varies));
    mustFail(trial.fails === true, `call ${trial.tool}`, results[0]);
    for (const content of ['structured', 'images', 'links'] as const)
      if (CONTENT[content](results[0])) count(content, CONTENT[content](results[1]));
    if (trial.reports !== undefined) count('progress', isSame);
    if (trial.asks) count('elicitation', isSame && direct.asked.length === 1 && board.asked.length === 1);
  }

  const offers = direct.client.getServerCapabilities();
  if (offers?.resources !== undefined) {
    const uris = new Set((await board.client.listResources()).resources.map(({ uri }) => uri));
    for (const { uri } of (await direct.client.listResources()).resources) {
      const contents = await both((side) => side.client.readResource({ uri: side.toUri(uri) }));
      const own = uris.has(board.toUri(uri)) ? contents : ([contents[0], 'not listed'] as const);
      judge('resources', `resource ${uri}`, plain(own, TIME));
      mustFail(false, `resource ${uri}`, contents[0]);
    }
    const templates = (await board.client.listResourceTemplates()).resourceTemplates;
    for (const { uriTemplate } of (await direct.client.listResourceTemplates()).resourceTemplates) {
      const isThere = templates.some((each) => each.uriTemplate === board.toUri(uriTemplate));
      judge('resources', `template ${uriTemplate}`, ['listed', isThere ? 'listed' : 'not listed']);
    }
  }
  for (const { name, arguments: takes = [] } of offers?.prompts ? (await direct.client.listPrompts()).prompts : []) {
    const given = Object.entries(server.promptArguments ?? {}).filter(([key]) =>
      takes.some((each) => each.name === key),
    );
    const args = Object.fromEntries(given);
    const prompts = await both((side) => side.client.getPrompt({ name: side.toName(name), arguments: args }));
    judge('prompts', `prompt ${name}`, plain(prompts, TIME));
    mustFail(false, `prompt ${name}`, prompts[0]);
  }
  // Every aspect has its share.
  return { shares: shares as ServerOutcome['shares'], differences };
}

/** Returns true when a call failed, by its result or by an error. */
function isFailure(result: unknown): boolean {
  return findObject(result, (each) => each['isError'] === true || typeof each['failed'] === 'string') !== undefined;
}

/** Returns the definition of a tool as clients get it, without the name. */
function toDefinition(tool: Readonly<Record<string, unknown>>): object {
  const { title, description, inputSchema, outputSchema, annotations, icons, _meta } = tool;
  return { title, description, inputSchema, outputSchema, annotations, icons, _meta };
}

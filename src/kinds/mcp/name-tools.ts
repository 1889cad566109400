import type { ServerRules } from './server-rules.ts';
import { MAX_LEGAL_NAME, toLegalName, withHash } from '../../tool/texts/legal-name.ts';
import { JOINT, META_TOOL_NAMES, type OtherNames } from '../../tool/tool-names.ts';

/** A server of the config, and the offered tools that the board includes. */
export interface NamedServer {
  readonly server: string;
  readonly rules: Pick<ServerRules, 'prefix' | 'madePrefix' | 'isPrefixWritten' | 'tools'>;
  /** The names on the server; `undefined` while unknown. */
  readonly offered: readonly string[] | undefined;
}

/** All names of a tool, and faults for its author. */
export interface ToolNames {
  /** Its name on the board; `undefined` if it must be skipped. */
  readonly name: string | undefined;
  readonly others: OtherNames;
  readonly note?: { readonly severity: 'note' | 'warning'; readonly message: string };
}

interface OtherTools {
  readonly isTaken: (name: string) => boolean;
  readonly reserved: readonly Namespace[];
}

interface Candidate extends Naming {
  readonly names: readonly [wanted: string, own: string];
  /** True when the config has the name. */
  readonly isWritten: boolean;
}

/**
 * Names the tools of all servers: by server, then by the names on the server.
 *
 * No tool takes the name of another: if two want the same one, neither gets it. The order of answers and of the config makes no
 * difference.
 */
export function nameTools(
  servers: readonly NamedServer[],
  { isTaken, reserved }: OtherTools,
): ReadonlyMap<string, ReadonlyMap<string, ToolNames>> {
  const all = new Map(
    servers.map((one) => [one.server, [...new Set(one.offered)].map((tool) => toCandidate(one, tool))]),
  );
  const candidates = [...all.values()].flat();
  const starts = [...servers.flatMap(toNamespaces), ...reserved];
  /** Returns the other server with this prefix: of two that match, the longer one wins. */
  const ownerOf = ({ server }: Candidate, name: string): string | undefined => {
    const fitting = starts.filter(({ start }) => name.startsWith(start));
    if (fitting.every((one) => one.server === server)) return undefined;
    const own = Math.max(0, ...fitting.filter((one) => one.server === server).map(({ start }) => start.length));
    return fitting.find((one) => one.server !== server && one.start.length > own)?.server;
  };
  const wanting = Map.groupBy(
    [...candidates, ...servers.flatMap(expected)].filter((one) => ownerOf(one, one.names[0]) === undefined),
    ({ names: [wanted] }) => wanted,
  );
  const rivalsOf = ({ server, tool }: Candidate, name: string): readonly Candidate[] =>
    wanting.get(name)?.filter((other) => other.server !== server || other.tool !== tool) ?? [];
  const used = new Map<string, Candidate>();
  const isFree = (candidate: Candidate, name: string): boolean =>
    !isTaken(name) && !META_TOOL_NAMES.has(name) && !used.has(name) && ownerOf(candidate, name) === undefined;
  const chosen = new Map<Candidate, string>();
  const choose = (candidate: Candidate, name: string): void => {
    chosen.set(candidate, name);
    used.set(name, candidate);
  };
  for (const candidate of candidates) {
    const [wanted] = candidate.names;
    const rivals = rivalsOf(candidate, wanted);
    // A name from the config wins over one from a server.
    const isAhead = candidate.isWritten ? rivals.every(({ isWritten }) => !isWritten) : rivals.length === 0;
    if (isAhead && isFree(candidate, wanted)) choose(candidate, wanted);
  }
  for (const nextName of [({ names }: Candidate) => names[1], lastName]) {
    const asking = Map.groupBy(
      candidates.filter((candidate) => !chosen.has(candidate)),
      nextName,
    );
    for (const [name, [candidate, ...others]] of asking) {
      if (candidate === undefined || others.length > 0 || rivalsOf(candidate, name).length > 0) continue;
      if (isFree(candidate, name)) choose(candidate, name);
    }
  }
  const explain = (candidate: Candidate): string => {
    const [wanted] = candidate.names;
    const [rival] = rivalsOf(candidate, wanted);
    if (rival !== undefined)
      return `${quote(wanted)} is also the name of ${quote(rival.tool)} of the server ${quote(rival.server)}`;
    const owner = ownerOf(candidate, wanted);
    return owner === undefined
      ? `${quote(wanted)} is taken`
      : `${quote(wanted)} looks like a tool of the server ${quote(owner)}`;
  };
  const describeName = (candidate: Candidate): Pick<ToolNames, 'name' | 'note'> => {
    const { server, tool, names, isWritten, rules } = candidate;
    const name = chosen.get(candidate);
    const advice = `Write another name for it, or a prefix for its server, such as "prefix: ${toLegalName(server)}-".`;
    if (name === undefined) {
      const message = `${quote(tool)} is left out: ${explain(candidate)}. ${advice}`;
      return { name, note: { severity: 'warning', message } };
    }
    if (name !== names[0]) {
      const message = `${explain(candidate)}, so ${quote(tool)} is called ${quote(name)} here. ${advice}`;
      return { name, note: { severity: 'warning', message } };
    }
    if (isWritten || name === rules.prefix + tool) return { name };
    const message = `${quote(tool)} is called ${quote(name)} here: names created by a board have at most 64 of A-Z a-z 0-9 _ -`;
    return { name, note: { severity: 'note', message } };
  };
  return new Map(
    servers.map(({ server, rules }) => {
      const own = all.get(server) ?? [];
      const names = new Map(own.flatMap((one) => (chosen.has(one) ? [[one.tool, chosen.get(one) ?? '']] : [])));
      const others = otherNames(server, rules, {
        names,
        isTaken: (name) => isTaken(name) || wanting.has(name) || used.has(name),
        namespaces: starts.filter((one) => one.server !== server),
      });
      return [
        server,
        new Map(own.map((one) => [one.tool, { ...describeName(one), others: others.get(one.tool) ?? NONE }])),
      ];
    }),
  );
}

const NONE: OtherNames = { given: [] };

function toCandidate({ server, rules }: NamedServer, tool: string): Candidate {
  const naming = { server, tool, rules };
  return { ...naming, names: possibleNames(naming), isWritten: rules.tools.get(tool)?.name !== undefined };
}

/** Returns tools named in the config whose server has not answered yet: no other tool takes their names meanwhile. */
function expected(one: NamedServer): Candidate[] {
  if (one.offered !== undefined) return [];
  return [...one.rules.tools.keys()].map((tool) => toCandidate(one, tool)).filter(({ isWritten }) => isWritten);
}

function toNamespaces({ server, rules }: NamedServer): Namespace[] {
  return namespacesOf(rules).map((start) => ({ start, server }));
}

function quote(name: string): string {
  return JSON.stringify(name);
}

/** The longest server name before the separator: leaves room for some characters of the tool and a hash. */
const MAX_SERVER = 53;
const MAX_WRITTEN = 128;
const WRITTEN = /^[A-Za-z0-9_.-]{0,128}$/;

type NameRules = Pick<ServerRules, 'prefix' | 'madePrefix' | 'isPrefixWritten' | 'tools'>;

/** A tool of a server, with its config's rules for names. */
interface Naming {
  readonly server: string;
  readonly tool: string;
  readonly rules: NameRules;
}

/**
 * Creates the prefix of each server's tools, such as `memory__`.
 *
 * It depends only on the names of the servers. If two would be equal, the one that is the server's own name stays.
 */
export function makePrefixes(servers: Iterable<string>): ReadonlyMap<string, string> {
  const made = Map.groupBy(new Set(servers), (server) => toLegalName(server, { max: MAX_SERVER }));
  return new Map(
    [...made].flatMap(([legal, same]) =>
      same.map((server) => {
        const isOwn = same.length === 1 || server === legal;
        return [server, `${isOwn ? legal : withHash(legal, { max: MAX_SERVER, whole: server })}${JOINT}`];
      }),
    ),
  );
}

/** Returns the prefixes of a server's tools: no tool of another server gets such a name. */
export function namespacesOf({ prefix, madePrefix }: Pick<ServerRules, 'prefix' | 'madePrefix'>): string[] {
  return [...new Set([madePrefix, prefix])].filter((start) => start !== '');
}

/** Returns the possible names of a tool: the one its config asks for, and the one that the board builds. */
function possibleNames({ server, tool, rules }: Naming): readonly [wanted: string, own: string] {
  const { prefix, madePrefix, isPrefixWritten } = rules;
  const renamed = rules.tools.get(tool)?.name;
  const whole = `${server}${JOINT}${tool}`;
  const behind = (start: string): string => {
    if (renamed !== undefined) return toWritten(start + renamed);
    const room = MAX_LEGAL_NAME - start.length;
    // A prefix from the config may leave no room; it is kept anyway.
    return toWritten(start + toLegalName(tool, { max: room < 9 ? MAX_WRITTEN - start.length : room, whole }));
  };
  const own = behind(madePrefix);
  return [isPrefixWritten ? behind(prefix) : own, own];
}

/** Returns the name of a tool when other tools prevent both possible names. It ends in a hash. */
function lastName({ server, tool, rules }: Naming): string {
  const legal = toLegalName(rules.tools.get(tool)?.name ?? tool, { max: MAX_WRITTEN });
  // Without a second separator, the name cannot look like one of a server whose name extends this one.
  const bare = legal.replaceAll(/^_+|_+(?=_)/g, '');
  return withHash(rules.madePrefix + bare, { whole: `${server}${JOINT}${tool}` });
}

/** A prefix, and the server that it belongs to. */
export interface Namespace {
  readonly start: string;
  readonly server: string;
}

/** The names that tools of a server must not take. */
interface NameSpace {
  /** True for names of the board's tools, and for names written in the config for tools that may still arrive. */
  readonly isTaken: (name: string) => boolean;
  readonly namespaces: readonly Namespace[];
}

/** Returns all names of a server's tools except those on the board; `names` has those, by the names on the server. */
function otherNames(
  server: string,
  rules: NameRules,
  { names, isTaken, namespaces }: NameSpace & { readonly names: ReadonlyMap<string, string> },
): ReadonlyMap<string, OtherNames> {
  const namings = [...names].map(([tool, name]) => {
    const naming = { server, tool, rules };
    const [wanted, own] = possibleNames(naming);
    return { naming, name, wanted, own };
  });
  const sameOwn = Map.groupBy(namings, ({ own }) => own);
  const { madePrefix, isPrefixWritten } = rules;
  const isForeign = (name: string): boolean =>
    namespaces.some(({ start }) => start.length >= madePrefix.length && name.startsWith(start));
  const isFree = (own: string): boolean => sameOwn.get(own)?.length === 1 && !isTaken(own) && !isForeign(own);
  return new Map(
    namings.map(({ naming, name, wanted, own }) => {
      const isMade = name.startsWith(madePrefix) && !(isPrefixWritten && name === wanted);
      const joined = new Set([...(isMade ? [name] : []), ...(isFree(own) ? [own] : [])]);
      const others: OtherNames = {
        ...restrictingOnly(naming),
        locked: [...new Set([wanted, own])].filter((one) => one !== name),
        joined: [...joined].map((one) => [madePrefix.slice(0, -JOINT.length), one.slice(madePrefix.length)]),
      };
      return [naming.tool, others];
    }),
  );
}

/** Like `otherNames` for a tool named by an entry: the other names of the server's tool can only restrict it. */
export function restrictingOnly(naming: Naming): OtherNames {
  const { server, tool, rules } = naming;
  const given = new Set([tool, ...possibleNames(naming)]);
  for (const own of new Set([tool, rules.tools.get(tool)?.name ?? tool])) {
    for (const start of ['', rules.prefix, rules.madePrefix]) given.add(start + own).add(toWritten(start + own));
  }
  return { server, given: [...given] };
}

/** Returns a name from the config, limited to the allowed characters. */
function toWritten(name: string): string {
  return WRITTEN.test(name) ? name : name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, MAX_WRITTEN);
}

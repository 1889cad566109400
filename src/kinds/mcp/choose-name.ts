import { MAX_LEGAL_NAME, toLegalName, withHash } from '../../tool/texts/legal-name.ts';
import { JOINT, type OtherNames } from '../../tool/tool-names.ts';
import type { ServerRules } from './server-rules.ts';

/** The longest name of a server before the joint: some characters and a hash are left for the tool. */
const MAX_SERVER = 53;
/** The longest name that people may write. */
const MAX_WRITTEN = 128;
const WRITTEN = /^[A-Za-z0-9_.-]{0,128}$/;

/** Rules that decide about names. */
type NameRules = Pick<ServerRules, 'prefix' | 'madePrefix' | 'isPrefixWritten' | 'tools'>;

/** A tool of a server, and what its config says about names. */
export interface Naming {
  /** The server as its config calls it. */
  readonly server: string;
  /** The tool's name on the server. */
  readonly tool: string;
  readonly rules: NameRules;
}

/**
 * What the board puts before the names of each server's tools, such as `memory__`.
 *
 * It depends on the names of the servers alone. Where two would be the same, the one that is the server's own name stays.
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

/** What the names of a server's tools begin with, now and on boards of earlier versions: no tool of another server gets such a name. */
export function namespacesOf(
  server: string,
  { prefix, madePrefix }: Pick<ServerRules, 'prefix' | 'madePrefix'>,
): string[] {
  return [...new Set([madePrefix, dottedStart(server), prefix])].filter((start) => start !== '');
}

/** What the names of a server's tools began with on boards of earlier versions. */
function dottedStart(server: string): string {
  return toWritten(`${server}.`);
}

/** The names that a tool may get: the one that its config wants, and the one that the board joins. */
export function possibleNames({ server, tool, rules }: Naming): readonly [wanted: string, own: string] {
  const { prefix, madePrefix, isPrefixWritten } = rules;
  const renamed = rules.tools.get(tool)?.name;
  const whole = `${server}${JOINT}${tool}`;
  const behind = (start: string): string => {
    if (renamed !== undefined) return toWritten(start + renamed);
    const room = MAX_LEGAL_NAME - start.length;
    // A prefix that people wrote may leave no room; it stays all the same.
    return toWritten(start + toLegalName(tool, { max: room < 9 ? MAX_WRITTEN - start.length : room, whole }));
  };
  const own = behind(madePrefix);
  return [isPrefixWritten ? behind(prefix) : own, own];
}

/** The name that a tool gets when other tools keep it from both of these: it ends in a hash. */
export function lastName({ server, tool, rules }: Naming): string {
  const legal = toLegalName(rules.tools.get(tool)?.name ?? tool, { max: MAX_WRITTEN });
  // Without a second joint in it, the name cannot look like one of a server that has this one's name before its own.
  const bare = legal.replaceAll(/^_+|_+(?=_)/g, '');
  return withHash(rules.madePrefix + bare, { whole: `${server}${JOINT}${tool}` });
}

/** What names begin with, and the server that they belong to. */
export interface Namespace {
  readonly start: string;
  readonly server: string;
}

/** What other tools can have had the names that a server's tools had earlier. */
export interface NameSpace {
  /** Tells which names the tools of the board have, and which people wrote for tools that may still come. */
  readonly isTaken: (name: string) => boolean;
  /** Those of other servers. */
  readonly namespaces: readonly Namespace[];
  /** The prefixes of other servers. */
  readonly prefixes: readonly string[];
}

/** All that the tools of a server are called besides their names on the board; `names` are those, by the names on the server. */
export function otherNames(
  server: string,
  rules: NameRules,
  { names, ...board }: NameSpace & { readonly names: ReadonlyMap<string, string> },
): ReadonlyMap<string, OtherNames> {
  const namings = [...names].map(([tool, name]) => {
    const naming = { server, tool, rules };
    const [wanted, own] = possibleNames(naming);
    const [first, apart] = earlierNames(naming);
    const further = new Set([apart, toWritten(`${server}.${tool}`)]);
    further.delete(first);
    return { naming, name, wanted, own, first, apart, further };
  });
  const owns = countAll(namings.map(({ own }) => own));
  const firsts = countAll(namings.map(({ first }) => first));
  const furthers = countAll(namings.flatMap(({ further }) => [...further]));
  const madeServer = rules.madePrefix.slice(0, -JOINT.length);
  const dotted = dottedStart(server);
  const isForeign = createForeignTest(board.namespaces);
  const isOther = (old: string): boolean => {
    if (old.startsWith(dotted)) return isForeign(old, dotted);
    // A server with the same prefix can have had it as well.
    return board.prefixes.includes(rules.prefix) || isForeign(old, rules.prefix);
  };
  const isFree = (own: string): boolean =>
    owns.get(own) === 1 && !board.isTaken(own) && !isForeign(own, rules.madePrefix);
  return new Map(
    namings.map(({ naming, name, wanted, own, first, apart, further }) => {
      const isOwn = (old: string): boolean =>
        old !== name &&
        !board.isTaken(old) &&
        !isOther(old) &&
        (old === first ? firsts.get(old) === 1 : !firsts.has(old) && furthers.get(old) === 1);
      const isMade = name.startsWith(rules.madePrefix) && !(rules.isPrefixWritten && name === wanted);
      const joined = new Set([...(isMade ? [name] : []), ...(isFree(own) ? [own] : [])]);
      const others: OtherNames = {
        ...restrictingOnly(naming),
        old: [first, ...further].filter(isOwn),
        locked: [...new Set([wanted, own, first, apart])].filter((one) => one !== name),
        joined: [...joined].map((one) => [madeServer, one.slice(rules.madePrefix.length)]),
      };
      return [naming.tool, others];
    }),
  );
}

/** Makes the test whether a name that begins with `own` can be that of a tool of another server, now or in earlier versions. */
function createForeignTest(namespaces: readonly Namespace[]): (name: string, own: string) => boolean {
  // The tool b.c of a server a could have the name of the tool c of a server a.b.
  const starts = namespaces.map(({ start, server }) => ({ start, isOpen: start === dottedStart(server) }));
  return (name, own) =>
    starts.some(({ start, isOpen }) => (isOpen || start.length >= own.length) && name.startsWith(start));
}

/** The same for a tool that has its name from an entry: what the server's tool is called otherwise can only restrict it. */
export function restrictingOnly(naming: Naming): OtherNames {
  const { server, tool, rules } = naming;
  const given = new Set([tool, ...possibleNames(naming)]);
  for (const own of new Set([tool, rules.tools.get(tool)?.name ?? tool])) {
    for (const start of ['', rules.prefix, rules.madePrefix, `${server}.`])
      given.add(start + own).add(toWritten(start + own));
  }
  return { server, given: [...given], old: [] };
}

/** The names that earlier versions gave a tool: `memory.read_graph`, or with the prefix that people wrote, and where that was taken. */
function earlierNames({ server, tool, rules }: Naming): [first: string, second: string] {
  const bare = rules.tools.get(tool)?.name ?? tool;
  const apart = toWritten(`${server}.${bare}`);
  return [rules.isPrefixWritten ? toWritten(rules.prefix + bare) : apart, apart];
}

function countAll(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** A name that people wrote, in the characters that names have. */
function toWritten(name: string): string {
  return WRITTEN.test(name) ? name : name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, MAX_WRITTEN);
}

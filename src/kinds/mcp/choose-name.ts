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
 * Makes the prefix that the board puts before the names of each server's tools, such as `memory__`.
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

/** The beginnings of the names of a server's tools: no tool of another server gets such a name. */
export function namespacesOf({ prefix, madePrefix }: Pick<ServerRules, 'prefix' | 'madePrefix'>): string[] {
  return [...new Set([madePrefix, prefix])].filter((start) => start !== '');
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

/** The beginning of names, and the server that they belong to. */
export interface Namespace {
  readonly start: string;
  readonly server: string;
}

/** The names that tools of a server must not take. */
export interface NameSpace {
  /** Tells which names the tools of the board have, and which people wrote for tools that may still come. */
  readonly isTaken: (name: string) => boolean;
  /** Those of other servers. */
  readonly namespaces: readonly Namespace[];
}

/** All names of a server's tools other than those on the board; `names` are those, by the names on the server. */
export function otherNames(
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

/** The same for a tool that has its name from an entry: the other names of the server's tool can only restrict it. */
export function restrictingOnly(naming: Naming): OtherNames {
  const { server, tool, rules } = naming;
  const given = new Set([tool, ...possibleNames(naming)]);
  for (const own of new Set([tool, rules.tools.get(tool)?.name ?? tool])) {
    for (const start of ['', rules.prefix, rules.madePrefix]) given.add(start + own).add(toWritten(start + own));
  }
  return { server, given: [...given] };
}

/** A name that people wrote, in the characters that names have. */
function toWritten(name: string): string {
  return WRITTEN.test(name) ? name : name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, MAX_WRITTEN);
}

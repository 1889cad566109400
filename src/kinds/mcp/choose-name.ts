import { MAX_LEGAL_NAME, toLegalName, withHash } from '../../tool/texts/legal-name.ts';
import { JOINT, type OtherNames } from '../../tool/tool-names.ts';
import type { ServerRules } from './server-rules.ts';

/** The longest server name before the separator: leaves room for some characters of the tool and a hash. */
const MAX_SERVER = 53;
/** The longest name that people may write. */
const MAX_WRITTEN = 128;
const WRITTEN = /^[A-Za-z0-9_.-]{0,128}$/;

/** Rules that decide about names. */
type NameRules = Pick<ServerRules, 'prefix' | 'madePrefix' | 'isPrefixWritten' | 'tools'>;

/** A tool of a server, with its config's rules for names. */
export interface Naming {
  /** The server's name in the config. */
  readonly server: string;
  /** The tool's name on the server. */
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
export function possibleNames({ server, tool, rules }: Naming): readonly [wanted: string, own: string] {
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

/** Returns the name of a tool when other tools prevent both possible names: it ends in a hash. */
export function lastName({ server, tool, rules }: Naming): string {
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
export interface NameSpace {
  /** True for names of the board's tools, and for names written in the config for tools that may still arrive. */
  readonly isTaken: (name: string) => boolean;
  /** Those of other servers. */
  readonly namespaces: readonly Namespace[];
}

/** Returns all names of a server's tools except those on the board; `names` has those, by the names on the server. */
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

/** The same for a tool named by an entry: the other names of the server's tool can only restrict it. */
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

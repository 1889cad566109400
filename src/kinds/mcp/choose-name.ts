import type { OtherNames } from '../../tool/tool-names.ts';
import type { ServerRules } from './server-rules.ts';

/** A tool of a server, and what its config says about names. */
export interface Naming {
  /** The server as its config calls it. */
  readonly server: string;
  /** The tool's name on the server. */
  readonly tool: string;
  readonly rules: Pick<ServerRules, 'prefix' | 'tools'>;
}

/** The names that other tools of the board have or may get. */
export interface NameSpace {
  readonly isUsed: (name: string) => boolean;
  /** What the names of the tools of other servers begin with. */
  readonly namespaces: readonly string[];
}

const MAX_NAME = 128;
/** Names of the board's own: a call of one of these carries what is meant for other tools. */
const RESERVED: ReadonlySet<string> = new Set([
  'search_tools',
  'describe_tool',
  'call_tool',
  'climax_search',
  'climax_call',
  'output_read',
  'output_search',
]);

/** What the names of a server's tools begin with: no tool of another server gets such a name. */
export function namespacesOf(server: string, { prefix }: Pick<ServerRules, 'prefix'>): string[] {
  return [...new Set([`${server}.`, prefix])].filter((start) => start !== '');
}

/** The tool's name on the board: with the prefix, in the characters that names have, and not twice. None when it has to be left out. */
export function chooseName(
  naming: Naming,
  { isUsed, namespaces }: NameSpace,
): { readonly name: string | undefined; readonly note: string | undefined } {
  const { server, tool, rules } = naming;
  const renamed = rules.tools.get(tool)?.name;
  const bare = renamed ?? tool;
  const wanted = fit(rules.prefix + bare);
  const isForeign = namespaces.some((start) => wanted.startsWith(start) && !rules.prefix.startsWith(start));
  const isFree = (name: string): boolean => !RESERVED.has(name) && !isUsed(name);
  if (isFree(wanted) && (!isForeign || wanted.startsWith(`${server}.`))) {
    const isOdd = wanted !== rules.prefix + bare && renamed === undefined;
    const note = `${quote(tool)} is called ${quote(wanted)} here: names have only A-Z a-z 0-9 _ . -`;
    return { name: wanted, note: isOdd ? note : undefined };
  }
  const apart = fit(`${server}.${bare}`);
  const why = isFree(wanted) ? `${quote(wanted)} looks like a tool of another server` : `${quote(wanted)} is taken`;
  if (isFree(apart)) return { name: apart, note: `${why}, so ${quote(tool)} is called ${quote(apart)} here.` };
  return { name: undefined, note: `${quote(tool)} is left out: ${why}. Give it another name.` };
}

/** All that the tool is called besides its name on the board, once every tool has its name. */
export function otherNames({ server, tool, rules }: Naming, board: NameSpace): OtherNames {
  const bare = rules.tools.get(tool)?.name ?? tool;
  const dotted = [tool, bare].map((own) => fit(`${server}.${own}`));
  const isOwn = (name: string): boolean =>
    !board.isUsed(name) && !board.namespaces.some((start) => name.startsWith(start));
  const given = [tool, bare, `${rules.prefix}${tool}`, `${rules.prefix}${bare}`].flatMap((name) => [name, fit(name)]);
  return {
    server,
    given: [...new Set([...given, ...dotted])],
    old: [...new Set(dotted)].filter(isOwn),
  };
}

function fit(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, MAX_NAME);
}

function quote(name: string): string {
  return JSON.stringify(name);
}

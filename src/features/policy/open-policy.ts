import { resolve } from 'node:path';
import type { PolicySection, ServerQuestion } from '../../guard/policy/policy-section.ts';
import type { FeatureHost } from '../../load/features/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import type { Placed } from '../../load/features/section.ts';
import type { ToolList } from '../../load/features/tool-list.ts';
import { expandHome } from '../../load/variables/interpolate.ts';
import { guardPlaces, type PlaceGuard } from './guard-places.ts';
import type { PolicyRules } from './policy-rules.ts';

/** The policies of a board, for other features. */
export interface BoardPolicy {
  /** True when a file has a policy. */
  readonly hasRules: boolean;
  /** Returns the questions that a server must not ask its callers. */
  refuses(server: string, list: ToolList): ReadonlySet<ServerQuestion>;
}

/** The policies, applied to the tools of one list. */
interface ListPolicy {
  readonly places: PlaceGuard;
  readonly rules: PolicyRules | undefined;
}

/** Opens the policies of a board's files. Without one, nobody is asked, and only calls that access the board's own places are refused. */
export async function openPolicy(
  sections: readonly Placed<PolicySection>[],
  host: FeatureHost,
): Promise<OpenFeature<BoardPolicy>> {
  // Most boards have no policy and need not load the rules.
  const body = sections.length === 0 ? undefined : await import('./policy-rules.ts');
  const isOpen = sections.map(({ value }) => value.files?.board).findLast((right) => right !== undefined) === 'write';
  const prefix = containerPrefix(sections, host.env);
  const known = new WeakMap<ToolList, ListPolicy>();
  const policyOf = (list: ToolList): ListPolicy => {
    const found = known.get(list);
    if (found !== undefined) return found;
    const places = guardPlaces(list, isOpen);
    const made = { places, rules: body?.compilePolicies(sections, { list, places }) };
    known.set(list, made);
    return made;
  };
  const current = (): ListPolicy => policyOf(host.board().list);
  return {
    api: {
      hasRules: body !== undefined,
      refuses: (server, list) => policyOf(list).rules?.refuses(server) ?? new Set(),
    },
    protectsFiles: !isOpen,
    kindKey: prefix,
    kindHost: {
      prefix,
      trustedRepositories: sections.flatMap((section) =>
        (section.value.files?.repositories ?? []).map((path) => resolve(section.folder(), expandHome(path, host.env))),
      ),
    },
    filter: (tools, list) => policyOf(list).rules?.filter(tools) ?? new Map(),
    listed: (_, board) => body?.checkAllowed(sections, board) ?? [],
    describe: (tool, list) => policyOf(list).rules?.describe(tool),
    guard: (request) => {
      const { rules, places } = current();
      return rules === undefined ? places.guard(request) : rules.guard(request);
    },
    isGuarded: (tool, args) => body !== undefined || current().places.refuses(tool, args),
    foresee: (tool, args) => {
      const { rules, places } = current();
      return rules === undefined ? places.foresee(tool, args) : rules.foresee(tool, args);
    },
    allowsOffer: (place) => current().rules?.allowsOffer(place) ?? true,
  };
}

/** Returns the `docker run …` that a CLImax policy file puts before every command; nothing for its local executor. */
export function containerPrefix(
  sections: readonly Placed<PolicySection>[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const executor = sections.map(({ value }) => value.executor).findLast((one) => one !== undefined);
  const { type, image, volumes, network, working_dir } = executor ?? {};
  if (type !== 'docker' || image == null) return [];
  return [
    'docker',
    'run',
    '--rm',
    '--interactive',
    ...(volumes ?? []).flatMap((volume) => ['-v', expandHome(volume, env)]),
    ...(network == null ? [] : ['--network', network]),
    ...(working_dir == null ? [] : ['-w', working_dir]),
    image,
  ];
}

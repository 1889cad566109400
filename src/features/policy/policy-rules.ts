import { createGuard, type DryVerdict, foresee } from '../../guard/approval/guard.ts';
import { hashOf } from '../../guard/lock/tool-pin.ts';
import type { PolicySection, ServerQuestion } from '../../guard/policy/policy-section.ts';
import { createPolicy, type Policy } from '../../guard/policy/policy.ts';
import { parseDuration } from '../../kinds/parse-units.ts';
import { guardInTurn, type CallGuard } from '../../tool/calls/call-bounds.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { ListedBoard } from '../../load/features/open-feature.ts';
import { checkPatterns } from '../../load/features/tool-patterns.ts';
import type { Placed } from '../../load/features/section.ts';
import type { Refusal, ToolList } from '../../load/features/tool-list.ts';
import type { ApprovalTerms } from '../../tool/calls/approval.ts';
import type { OfferPlace } from '../../tool/offers.ts';
import type { Tool } from '../../tool/tool.ts';
import { type PlaceGuard, pathsOf, pathsPlace } from './guard-places.ts';

/** The policies of all files, compiled for the tools of one list. */
export interface PolicyRules {
  /** Finds the tools that a rule hides from callers, and reports rules that their author should review. */
  filter(tools: readonly Tool[]): Map<string, Refusal>;
  /** Returns the description that replaces the tool's own. */
  describe(tool: Tool): string | undefined;
  readonly guard: CallGuard;
  /** Predicts the verdict on a call without asking anybody. */
  foresee(tool: Tool, args: Readonly<Record<string, unknown>>): DryVerdict | undefined;
  /** True when a prompt or a resource may be used. */
  allowsOffer(place: OfferPlace): boolean;
  /** Returns the questions that a server must not ask its callers. */
  refuses(server: string): ReadonlySet<ServerQuestion>;
}

interface PolicyParts {
  readonly list: ToolList;
  readonly places: PlaceGuard;
}

/** Compiles the policies of the files, each of which can only restrict. */
export function compilePolicies(sections: readonly Placed<PolicySection>[], parts: PolicyParts): PolicyRules {
  const { list } = parts;
  const policies = sections.map((section) => ({ section, policy: compile(section, parts) }));
  return {
    filter(tools) {
      const refused = new Map<string, Refusal>();
      for (const { section, policy } of policies) {
        for (const { path, message, severity } of policy.lint(tools)) {
          const isEarly = severity === 'warning' && list.mayCome(pickAt(section.value, path));
          list.report(section.at(path, message, isEarly ? 'note' : severity));
        }
        for (const tool of tools) {
          const { name } = tool.metadata;
          const decision = policy.allows(tool);
          if (decision.ok || refused.has(name)) continue;
          const { reason, rule, lacksPaths } = decision;
          refused.set(
            name,
            lacksPaths === true
              ? { reason: explainMissingPaths(tool, { reason, file: section.at([], '').file, list }), isShown: true }
              : { reason: `${reason} (${placeOf(section, rule)})` },
          );
        }
      }
      return refused;
    },
    describe: (tool) => policies.map(({ policy }) => policy.describe(tool)).findLast((text) => text !== undefined),
    guard: guardInTurn(policies.map(({ section, policy }) => toGuard(policy, section.value, list))),
    foresee: (tool, args) => {
      const verdicts = policies.flatMap(({ policy }) => foresee(policy, tool, args) ?? []);
      return verdicts.find(({ type }) => type === 'refused') ?? verdicts[0];
    },
    allowsOffer: (place) => policies.every(({ policy }) => policy.allowsOffer(place)),
    refuses: (server) => new Set(policies.flatMap(({ policy }) => policy.refuses(server))),
  };
}

/** Reports patterns that do not permit the tools that they seem to match. */
export function checkAllowed(sections: readonly Placed<PolicySection>[], board: ListedBoard): Diagnostic[] {
  return sections.flatMap((section) => checkPatterns(section, [[['allow'], section.value.allow]], board));
}

function compile(section: Placed<PolicySection>, { list, places }: PolicyParts): Policy {
  const rules = createPolicy(section.value, {
    // Roots are relative to the file; paths are relative to the folder of the command.
    base: section.folder(),
    pathsOf: (tool) => pathsOf(tool, list),
    pathsPlace: (tool) => pathsPlace(tool, list),
    definitionOf: (tool) => hashOf(list.definitionOf(tool)),
  });
  return {
    ...rules,
    check: (tool, args) => {
      const found = rules.check(tool, args);
      // Folders that the policy names come first: a message about others would reveal their location.
      return found.length > 0 ? found : places.check(tool, args);
    },
  };
}

function toGuard(policy: Policy, { approval = {} }: PolicySection, list: ToolList): CallGuard {
  const { expires, notify, max_waiting: most = {} } = approval;
  const terms: Partial<ApprovalTerms> = {
    ...(expires === undefined ? {} : { expires: parseDuration(expires) }),
    notify,
    mostWaiting: { perCaller: most.per_caller, perBoard: most.per_board },
  };
  return createGuard(policy, {
    confirmMessage: async (request) => {
      const { entry } = list.originOf(request.tool);
      return entry?.kind.confirmMessage?.(entry, request, list.kindHost);
    },
    terms,
  });
}

/** Returns the file and line of a rule, or of the policy. */
function placeOf(section: Placed<PolicySection>, rule: number | undefined): string {
  const { file, place } = section.at(rule === undefined ? [] : ['deny', rule], '');
  return place === undefined ? file : `${file}:${place.line}`;
}

function explainMissingPaths(
  tool: Tool,
  { reason, file, list }: { readonly reason: string; readonly file: string; readonly list: ToolList },
): string {
  const advice = `Write paths: [NAME, …] ${pathsPlace(tool, list)}, or paths: [] when none is.`;
  return `the tool "${tool.metadata.name}" is refused: ${reason} (${file}). ${advice}`;
}

/** Returns the tool, pattern or selector that a remark about a policy refers to. */
function pickAt(policy: PolicySection, [section, key, name]: readonly (string | number)[]): unknown {
  if (section === 'allow' || section === 'deny') return policy[section]?.[Number(key)];
  if (section === 'approval') return name;
  return section === 'tools' ? key : undefined;
}

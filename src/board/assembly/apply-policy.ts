import { dirname, resolve } from 'node:path';
import type { Tool } from '../../tool/tool.ts';
import { parseTool } from '../../tool/define/parse-tool.ts';
import type { CallGuard, GuardRequest } from '../../tool/calls/call-bounds.ts';
import type { ApprovalTerms } from '../../tool/calls/approval.ts';
import type { DryVerdict } from '../../guard/approval/guard.ts';
import { parseDuration } from '../../kinds/parse-units.ts';
import type { PolicySection, ServerQuestion } from '../../guard/policy/policy-section.ts';
import type { Policy } from '../../guard/policy/policy.ts';
import type { OfferPlace } from '../../tool/offers.ts';
import type { ToolIssue } from '../../tool/tool-error.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { PlaceGuard } from './board-places.ts';
import { pathsOf, pathsPlace, type ToolOrigins } from './paths-of.ts';

/** The tools a policy leaves on the board, and the guard that watches their calls. */
export interface PolicyOutcome {
  readonly tools: readonly Tool[];
  /** Why tools are not among them that no rule keeps from callers, by their names. */
  readonly refused: ReadonlyMap<string, string>;
  /** The rules that keep tools from the board, with their places, by the tools' names. For people: callers must not learn of such tools. */
  readonly denied: ReadonlyMap<string, string>;
  readonly guard: CallGuard;
  /** What the policies would make of a call; no one is asked. */
  foresee(tool: Tool, args: Readonly<Record<string, unknown>>): DryVerdict | undefined;
  /** Whether a prompt or a resource may be used. */
  allowsOffer(place: OfferPlace): boolean;
  /** What a server must not ask its callers for. */
  refuses(server: string): ReadonlySet<ServerQuestion>;
  readonly diagnostics: readonly Diagnostic[];
}

interface PolicyContext {
  readonly cwd: string;
  readonly origins: ToolOrigins;
  /** The hash of what a tool is made of. */
  readonly definitionOf: (tool: Tool) => string;
  readonly places: PlaceGuard;
  /** Whether a tool that a rule picks may still come from a server. */
  mayCome(pick: unknown): boolean;
  /** A tool's own question for the person who approves. */
  confirmMessage(request: GuardRequest): Promise<string | undefined>;
}

/** Applies the policies of the files, each of which can only take away. Without one no one is asked, and only what leads to the board's own places is refused. */
export async function applyPolicy(
  files: readonly LoadedFile[],
  tools: readonly Tool[],
  context: PolicyContext,
): Promise<PolicyOutcome> {
  const policed = files.filter(({ policy }) => policy !== undefined);
  if (policed.length === 0) {
    const offers = { allowsOffer: () => true, refuses: () => new Set<ServerQuestion>() };
    const { places } = context;
    return {
      tools,
      refused: new Map(),
      denied: new Map(),
      guard: places.guard,
      foresee: (tool, args) => places.foresee(tool, args),
      diagnostics: [],
      ...offers,
    };
  }
  // Most boards have no policy, and need not load it.
  const [{ createPolicy }, { createGuard, foresee }] = await Promise.all([
    import('../../guard/policy/policy.ts'),
    import('../../guard/approval/guard.ts'),
  ]);
  const diagnostics: Diagnostic[] = [];
  const guards: CallGuard[] = [];
  const policies: Policy[] = [];
  const refused = new Map<string, string>();
  const denied = new Map<string, string>();
  let left = tools;
  for (const file of policed) {
    const rules = createPolicy(file.policy ?? {}, {
      default: file.dialect === 'climax-policy' ? 'disabled' : 'enabled',
      // Roots are written in the file, paths are meant where the command runs.
      base: dirname(resolve(context.cwd, file.file)),
      pathsOf: (tool) => pathsOf(tool, context.origins),
      pathsPlace: (tool) => pathsPlace(tool, context.origins),
      definitionOf: (tool) => context.definitionOf(tool),
    });
    const policy: Policy = {
      ...rules,
      check: (tool, args) => firstIssues(rules.check(tool, args), () => context.places.check(tool, args)),
    };
    policies.push(policy);
    for (const { path, message, severity } of policy.lint(tools)) {
      const full = file.dialect === 'climax-policy' ? path : ['policy', ...path];
      const isEarly = severity === 'warning' && context.mayCome(pickAt(file.policy ?? {}, path));
      const weight = isEarly ? 'note' : severity;
      diagnostics.push({ severity: weight, file: file.file, path: full, message, place: file.locate(full) });
    }
    left = left
      .filter((tool) => {
        const decision = policy.allows(tool);
        if (!decision.ok && decision.isUntold !== true)
          denied.set(tool.metadata.name, `${decision.reason} (${placeOf(file, decision.rule)})`);
        if (!decision.ok && decision.isUntold === true) {
          const { name } = tool.metadata;
          const place = pathsPlace(tool, context.origins);
          const advice = `Write paths: [NAME, …] ${place}, or paths: [] when none is.`;
          refused.set(name, `the tool "${name}" is refused: ${decision.reason} (${file.file}). ${advice}`);
        }
        return decision.ok;
      })
      .map((tool) => describe(tool, policy.describe(tool)));
    guards.push(
      createGuard(policy, {
        confirmMessage: (request) => context.confirmMessage(request),
        terms: termsOf(file.policy ?? {}),
      }),
    );
  }
  return {
    tools: left,
    refused,
    denied,
    guard: inTurn(guards),
    foresee: (tool, args) => {
      const verdicts = policies.flatMap((policy) => foresee(policy, tool, args) ?? []);
      return verdicts.find(({ type }) => type === 'refused') ?? verdicts[0];
    },
    diagnostics,
    allowsOffer: (place) => policies.every((policy) => policy.allowsOffer(place)),
    refuses: (server) => new Set(policies.flatMap((policy) => policy.refuses(server))),
  };
}

/** The file and line of a rule, or of the policy. */
function placeOf(file: LoadedFile, rule: number | undefined): string {
  const start = file.dialect === 'climax-policy' ? [] : ['policy'];
  const place = file.locate(rule === undefined ? start : [...start, 'deny', rule]);
  return place === undefined ? file.file : `${file.file}:${place.line}`;
}

/** How long a file's questions wait, how many at once, and who is told of them. */
function termsOf({ approval = {} }: PolicySection): Partial<ApprovalTerms> {
  const { expires, notify, max_waiting: most = {} } = approval;
  const mostWaiting = { perCaller: most.per_caller, perBoard: most.per_board };
  return { ...(expires === undefined ? {} : { expires: parseDuration(expires) }), notify, mostWaiting };
}

/** The tool, pattern or selector that a remark about a policy is about. */
function pickAt(policy: PolicySection, [section, key, name]: readonly (string | number)[]): unknown {
  if (section === 'allow' || section === 'deny') return policy[section]?.[Number(key)];
  if (section === 'approval') return name;
  return section === 'tools' ? key : undefined;
}

/** Folders that the policy names come first: a message about others would tell where they are. */
function firstIssues(found: ToolIssue[], others: () => ToolIssue[]): ToolIssue[] {
  return found.length > 0 ? found : others();
}

/** Asks guards one after the other; returns the first refusal. */
export function inTurn(guards: readonly CallGuard[]): CallGuard {
  return async (request) => {
    for (const guard of guards) {
      const refusal = await guard(request);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  };
}

/** The same tool under the policy's own description. */
function describe(tool: Tool, description: string | undefined): Tool {
  if (description === undefined) return tool;
  const { schema, outputSchema } = tool;
  return parseTool({
    metadata: { ...tool.metadata, description },
    schema,
    outputSchema,
    execute: (input: unknown, context: Parameters<Tool['run']>[1]) => tool.run(input, context),
  });
}

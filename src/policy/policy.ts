import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { ToolIssue } from '../core/tool-error.ts';
import type { Tool } from '../core/tool.ts';
import { permittingNames, restrictingNames } from '../core/tool-names.ts';
import { needsApproval, ownValue } from './approval-rules.ts';
import { compileLimits, type LimitCheck } from './check-limits.ts';
import { checkRoots } from './check-roots.ts';
import { lintPolicy, type PolicyFault } from './lint-policy.ts';
import type { PolicySection } from './policy-section.ts';
import { compileRules, describeRule } from './rule-list.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** What a policy must be told about the board. */
export interface PolicyOptions {
  /** For a section that says neither `default` nor `allow`: `enabled` unless told otherwise. */
  readonly default?: 'enabled' | 'disabled';
  /** The folder that roots and relative paths start from; the working folder unless told otherwise. */
  readonly base?: string;
  /** The folder that a call runs in, where that is another one: its relative paths start there. */
  readonly folderOf?: (tool: Tool, args: Arguments) => string | undefined;
  /** What `~` in a root stands for; the user's home folder unless told otherwise. */
  readonly home?: string;
  /** Names the arguments of a tool that are paths; dotted for nested ones. */
  readonly pathArguments?: (tool: Tool) => readonly string[];
}

/** Whether a tool may be called, or why not. */
type PolicyDecision = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** What may be called, with what, and who is asked. */
export interface Policy {
  /** Tells whether the tool may be called at all. */
  allows(tool: Tool): PolicyDecision;
  /** The description that replaces the tool's own, where the policy has one. */
  describe(tool: Tool): string | undefined;
  /** Finds the arguments that break a limit or lead out of the roots. */
  check(tool: Tool, args: Arguments): ToolIssue[];
  /** Tells whether somebody must say yes to each call. */
  needsApproval(tool: Tool): boolean;
  /** The answer when there is nobody to ask. */
  readonly headless: 'deny' | 'approve';
  /** Finds what the policy's author should look at, given all tools of the board. */
  lint(tools: readonly Tool[]): PolicyFault[];
}

/** Makes a policy from a checked `policy` section or CLImax policy file. */
export function createPolicy(given: PolicySection | Arguments, options: PolicyOptions = {}): Policy {
  // The schema of config files has checked it.
  const section = given as PolicySection;
  const { home = homedir(), pathArguments = () => [] } = options;
  const base = resolve(options.base ?? '.');
  // A list of allowed tools that allowed all the others too would be no use.
  const state = section.default ?? (section.allow === undefined ? (options.default ?? 'enabled') : 'disabled');
  const allow = compileRules(section.allow ?? []);
  const deny = compileRules(section.deny ?? [], 'restrict');
  const limits = new Map<string, LimitCheck>();
  for (const [name, rules] of Object.entries(section.tools ?? {})) {
    if (rules?.args !== undefined) limits.set(name, compileLimits(rules.args));
  }
  const { roots } = section;
  return {
    allows(tool) {
      const denied = deny.find(tool);
      if (denied !== undefined) {
        return { ok: false, reason: `the rule deny[${denied}] (${describeRule(section.deny?.[denied])}) forbids it` };
      }
      const isNamed = permittingNames(tool).some((name) => Object.hasOwn(section.tools ?? {}, name));
      if (state === 'enabled' || isNamed || allow.find(tool) !== undefined) return { ok: true };
      return { ok: false, reason: 'it is not among the tools that the policy enables' };
    },
    describe(tool) {
      const descriptions = permittingNames(tool).map((name) => ownValue(section.tools, name)?.description);
      return descriptions.find((description) => description?.trim()) ?? undefined;
    },
    check(tool, args) {
      const issues = restrictingNames(tool).flatMap((name) => limits.get(name)?.(args) ?? []);
      if (roots === undefined) return issues;
      const folder = options.folderOf?.(tool, args) ?? base;
      return [...issues, ...checkRoots(args, pathArguments(tool), { roots, base, home, folder })];
    },
    needsApproval: (tool) => needsApproval(section, tool),
    headless: section.approval?.headless ?? 'deny',
    lint: (tools) => lintPolicy(section, tools, { base, home, isClosed: state === 'disabled' }),
  };
}

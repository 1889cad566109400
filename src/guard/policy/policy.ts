import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { isCodeTool, isDiscoveryTool, isHelperTool, isProgramTool } from '../../tool/tool-marks.ts';
import type { ToolIssue } from '../../tool/tool-error.ts';
import { riskOfCall } from '../../tool/parameters/call-risk.ts';
import { type ToolRisk, isWithinRisk } from '../../tool/tool-metadata.ts';
import type { Tool } from '../../tool/tool.ts';
import { permittingNames, restrictingNames } from '../../tool/tool-names.ts';
import { cannotHoldPath, NO_PATHS, type ToolPaths } from './tool-paths.ts';
import { compileLimits, type LimitCheck } from './check-limits.ts';
import { checkRoots } from './check-roots.ts';
import { lintPaths, lintPolicy, type PolicyFault } from './lint-policy.ts';
import { compileOfferRules, compilePageRules, compileRules, describeRule, refusedQuestions } from './rule-list.ts';
import type { PolicySection, ServerQuestion, ApprovalLevel } from './policy-section.ts';
import type { OfferPlace } from '../../tool/offers.ts';
import { schemaPaths } from '../../tool/parameters/find-values.ts';
import { digest } from '../approval/kept/approval-record.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Facts about the board that a policy needs. */
interface PolicyOptions {
  /** The default for tools when a section has neither `default` nor `allow`. Default: `enabled`. */
  readonly default?: 'enabled' | 'disabled';
  /** The base folder of roots and relative paths. Default: the working folder. */
  readonly base?: string;
  /** The folder for `~` in a root. Default: the user's home folder. */
  readonly home?: string;
  /** Returns the known paths in a tool's arguments. Default: nothing. */
  readonly pathsOf?: (tool: Tool) => ToolPaths | undefined;
  /** Returns the hash of a tool's definition, for permanent approvals. Default: none, so that approvals with a hash do not apply. */
  readonly definitionOf?: (tool: Tool) => string;
  /** Returns the place where the author of a tool names its path arguments, for messages. Default: in its code. */
  readonly pathsPlace?: (tool: Tool) => string;
}

/** The decision about a tool: allowed, or the reason for refusing it. */
type PolicyDecision =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly reason: string;
      /** The index of the rule in `deny`, if one refused it. */
      readonly rule?: number;
      /** True when only the description of its paths is missing: nobody forbade the tool. */
      readonly lacksPaths?: true;
    };

/** Decides which tools and arguments are allowed, and which calls need approval. */
export interface Policy {
  /** Decides if the tool may be called with this risk. Default: the lowest risk of its calls, which decides if it may be called at all. */
  allows(tool: Tool, risk?: ToolRisk): PolicyDecision;
  /**
   * Returns the reason why a page (MCP Apps) may not make a call with this risk; `undefined` if it may. Default: the risk used by `allows`.
   */
  refusesPage(tool: Tool, risk?: ToolRisk): string | undefined;
  /** Returns the description that replaces the tool's own, if the policy has one. */
  describe(tool: Tool): string | undefined;
  /** Finds the arguments that break a limit or lead out of the roots. */
  check(tool: Tool, args: Arguments): ToolIssue[];
  /** Returns true when a person must approve this call. */
  needsApproval(tool: Tool, args: Arguments, risk?: ToolRisk): boolean;
  /** Returns true when a prompt or a resource may be used. */
  allowsOffer(place: OfferPlace): boolean;
  /** Returns the requests that a server must not send to its callers. */
  refuses(server: string): readonly ServerQuestion[];
  /** The decision when no one can be asked. */
  readonly headless: 'deny' | 'approve' | 'wait';
  /** Finds parts of the policy that its author should review, given all tools of the board. */
  lint(tools: readonly Tool[]): PolicyFault[];
}

export function createPolicy(given: PolicySection | Arguments, options: PolicyOptions = {}): Policy {
  // Validated by the schema of config files.
  const section = given as PolicySection;
  const { home = homedir() } = options;
  const base = resolve(options.base ?? '.');
  // With a list of allowed tools, all others are forbidden.
  const state = section.default ?? (section.allow === undefined ? (options.default ?? 'enabled') : 'disabled');
  const allow = compileRules(section.allow ?? []);
  const deny = compileRules(section.deny ?? [], 'restrict');
  const refusesPage = compilePageRules(section.apps);
  const limits = new Map<string, LimitCheck>();
  for (const [name, rules] of Object.entries(section.tools ?? {})) {
    if (rules?.args !== undefined) limits.set(name, compileLimits(rules.args));
  }
  const { roots } = section;
  const pathsOf = (tool: Tool): ToolPaths | undefined =>
    isHelperTool(tool) || isDiscoveryTool(tool)
      ? NO_PATHS
      : (options.pathsOf?.(tool) ?? (readSchema(tool).holdsNoPath ? NO_PATHS : undefined));
  return {
    allows(tool, risk) {
      const denied = deny.find(tool, risk);
      if (denied !== undefined)
        return {
          ok: false,
          reason: `the rule deny[${denied}] (${describeRule(section.deny?.[denied])}) forbids it`,
          rule: denied,
        };
      // A program only makes calls, and each of them is judged.
      if (isCodeTool(tool)) return { ok: true };
      const isNamed = permittingNames(tool).some((name) => Object.hasOwn(section.tools ?? {}, name));
      if (state !== 'enabled' && !isNamed && allow.find(tool, risk) === undefined) {
        const what = allow.find(tool) === undefined ? 'tools' : 'calls';
        return { ok: false, reason: `it is not among the ${what} that the policy enables` };
      }
      if (roots === undefined || pathsOf(tool) !== undefined) return { ok: true };
      const reason = 'the policy has roots, and it is unknown which arguments of the tool are paths';
      return { ok: false, reason, lacksPaths: true };
    },
    refusesPage,
    describe(tool) {
      const descriptions = permittingNames(tool).map((name) => ownValue(section.tools, name)?.description);
      return descriptions.find((description) => description?.trim()) ?? undefined;
    },
    check(tool, args) {
      const issues = restrictingNames(tool).flatMap((name) => limits.get(name)?.(args) ?? []);
      if (roots === undefined) return issues;
      const paths = pathsOf(tool) ?? NO_PATHS;
      const names = [...new Set([...paths.names, ...readSchema(tool).paths])];
      return [...issues, ...checkRoots(args, { ...paths, names }, { roots, base, home })];
    },
    needsApproval: (tool, args, risk = riskOfCall(tool, args)) =>
      needsApproval(section, tool, risk) &&
      !isApproved(section, { tool, args, risk, definition: () => options.definitionOf?.(tool) }),
    allowsOffer: compileOfferRules(section, state === 'disabled'),
    refuses: (server) => refusedQuestions(section, server),
    headless: section.approval?.headless ?? 'deny',
    lint: (tools) => [
      ...lintPolicy(section, tools, { base, home, isClosed: state === 'disabled' }),
      ...(roots === undefined ? [] : lintPaths(tools, pathsOf, options.pathsPlace)),
    ],
  };
}

/** Statements of a tool's own schema about paths. */
interface SchemaFacts {
  readonly paths: readonly string[];
  /** True when no argument that it allows can be a path. */
  readonly holdsNoPath: boolean;
}

const factsOfSchemas = new WeakMap<Tool, SchemaFacts>();

/** Reads the statements of a tool's own schema about paths, once. */
function readSchema(tool: Tool): SchemaFacts {
  let facts = factsOfSchemas.get(tool);
  if (facts === undefined) {
    try {
      facts = { paths: schemaPaths(tool.inputSchema), holdsNoPath: cannotHoldPath(tool.inputSchema) };
    } catch {
      // A schema that cannot be shown says nothing about paths; the entry still counts.
      facts = { paths: [], holdsNoPath: false };
    }
    factsOfSchemas.set(tool, facts);
  }
  return facts;
}

/**
 * Returns true when a call of a tool with this risk needs approval. Settings of the tool take precedence over `global`.
 *
 * Settings under any of its names can require approval; only those under its own name can waive `global`.
 */
export function needsApproval(section: PolicySection, tool: Tool, given: ToolRisk): boolean {
  // A saved program only makes calls, and each of them is judged.
  const risk = isProgramTool(tool) ? 'read' : given;
  const asks = (level: ApprovalLevel | boolean): boolean => asksFor(level, risk);
  // Of several settings, the strictest counts.
  if (levelsFor(section, restrictingNames(tool)).some(asks)) return true;
  return levelsFor(section, permittingNames(tool)).length === 0 && asks(section.approval?.global ?? 'write');
}

interface JudgedCall {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly risk: ToolRisk;
  /** Returns the hash of the tool's definition, as in a line; `undefined` when unknown. */
  readonly definition: () => string | undefined;
}

/** Returns true when a person has allowed such calls permanently. Every part of a line must match. */
function isApproved({ approved = [] }: PolicySection, { tool, args, risk, definition }: JudgedCall): boolean {
  // A CLImax file may have anything under this name.
  if (!Array.isArray(approved) || approved.length === 0) return false;
  const names = permittingNames(tool);
  return approved.some((line) => {
    if (typeof line === 'string') return names.includes(line);
    if (!names.includes(line.tool)) return false;
    if (line.risk !== undefined && !isWithinRisk(risk, line.risk)) return false;
    if (line.args !== undefined && digest(args) !== digest(line.args)) return false;
    return line.definition === undefined || line.definition === definition();
  });
}

function levelsFor(section: PolicySection, names: readonly string[]): (ApprovalLevel | boolean)[] {
  return names
    .flatMap((name) => [ownValue(section.tools, name)?.require_approval, ownValue(section.approval?.tools, name)])
    .filter((level) => level !== undefined);
}

/** Returns the value of an own key: a tool may be called `constructor`. */
function ownValue<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function asksFor(level: ApprovalLevel | boolean, risk: ToolRisk): boolean {
  switch (level) {
    case 'none':
    case false:
      return false;
    case 'destructive':
      return risk === 'destructive';
    case 'write':
      return risk !== 'read';
    case 'all':
    case true:
      return true;
  }
}

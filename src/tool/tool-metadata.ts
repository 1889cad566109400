import type { ToolCategory } from './tool-category.ts';
import {
  type ArgumentRisk,
  greatestRisk,
  levelsOf,
  RISK_LEVELS,
  showRiskyValues,
  type ToolRisk,
} from './parameters/argument-risk.ts';

export type { ArgumentRisk, ToolRisk } from './parameters/argument-risk.ts';

/** A worked call: shown to models, indexed for search. */
export interface ToolExample {
  readonly description: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
  readonly explanation?: string;
}

/** A picture of a tool, for people. */
export interface ToolIcon {
  /** An https or data address. */
  readonly src: string;
  readonly mimeType?: string;
  /** Sizes it comes in, such as `48x48`, or `any`. */
  readonly sizes?: readonly string[];
  /** The background it is made for. */
  readonly theme?: 'light' | 'dark';
}

/** What MCP clients may assume about a tool. What its `risk` says wins where the two differ. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean;
  /** It reaches beyond what the board knows, as a web search does. */
  readonly openWorldHint?: boolean;
}

/** Everything a board knows about a tool besides its schema and its code. */
export interface ToolMetadata<TName extends string = string> {
  /** 1 to 128 of `A-Z a-z 0-9 _ . -`, unique on a board. */
  readonly name: TName;
  /** Other names that calls may use; they are not listed, and a tool that has one of them as its name goes first. */
  readonly aliases?: readonly string[];
  /** The name people see. */
  readonly displayName?: string;
  /** What people see beside the name. */
  readonly icons?: readonly ToolIcon[];
  readonly description: string;
  readonly category?: ToolCategory;
  readonly tags?: readonly string[];
  readonly examples?: readonly ToolExample[];
  /** What people say when they need the tool; indexed for search, not shown to models. */
  readonly utterances?: readonly string[];
  /** Whether the tool is one of those of its source that are used most. A search prefers it among others that fit. */
  readonly common?: boolean;
  readonly usageNotes?: string;
  readonly limitations?: readonly string[];
  readonly version?: string;
  readonly author?: string;
  /** A deprecated tool stays callable; listings and prompts say so. */
  readonly deprecated?: boolean;
  /** The tool to use instead of a deprecated one. */
  readonly replacedBy?: string;
  /** Where the tool came from: the file, server or command line. */
  readonly source?: string;
  /** The kind of config entry the tool was made from. */
  readonly kind?: string;
  /** What a call may do that gives none of the arguments in `argumentRisks`. Default: write. */
  readonly risk?: ToolRisk;
  /**
   * Arguments with which a call may do more, by their names: `{ delete: 'destructive' }`, or with some values only:
   * `{ method: { GET: 'read', '*': 'write' } }`. A dotted name leads into nested arguments. A call that gives one has at least its risk.
   */
  readonly argumentRisks?: Readonly<Record<string, ArgumentRisk>>;
  /**
   * Whether a call may be made again when it is not known whether it happened: `true` where the same arguments change nothing more,
   * `'key'` where the same `context.idempotencyKey` does not. Default: false, unless the risk is `read`.
   */
  readonly idempotent?: boolean | 'key';
  /** Hints for MCP clients besides the risk; policies do not read them. */
  readonly annotations?: ToolAnnotations;
  /** Further data for MCP clients, as `_meta` of the tool. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /**
   * The arguments that are paths, dotted for nested ones; empty for a tool that takes none. A policy with `roots` checks
   * them, and refuses a tool in code that does not say.
   */
  readonly paths?: readonly string[];
  /** Milliseconds a call may take; 30,000 unless the call or the executor says otherwise. */
  readonly timeout?: number;
  /** How many calls of this tool may run at once. */
  readonly concurrency?: number;
  /** Further attempts after a recoverable failure. Default: none. */
  readonly retries?: number;
  /** Characters of result text before it is shortened. Default: 1,048,576. */
  readonly maxOutput?: number;
  /** Bytes of pictures, sounds and files in a result; more are left out. Default: 10,485,760. */
  readonly maxMedia?: number;
  /** Ask providers that can to load this tool only when it is searched for. */
  readonly deferLoading?: boolean;
}

/** What a policy reads of a tool to know its risk. */
export interface Risky {
  readonly metadata: Pick<ToolMetadata, 'risk' | 'argumentRisks'>;
}

/** The most that a call of the tool may do, whatever its arguments are. A tool that does not say may change things. */
export function riskOf({ metadata: { risk = 'write', argumentRisks } }: Risky): ToolRisk {
  return argumentRisks === undefined ? risk : greatestRisk([risk, ...Object.values(argumentRisks).flatMap(levelsOf)]);
}

/** Whether a risk is at most another one. */
export function isWithinRisk(risk: ToolRisk, most: ToolRisk): boolean {
  return RISK_LEVELS.indexOf(risk) <= RISK_LEVELS.indexOf(most);
}

/** The risks that are at least this one, the least first. */
export function risksFrom(risk: ToolRisk): readonly ToolRisk[] {
  return RISK_LEVELS.slice(RISK_LEVELS.indexOf(risk));
}

/** Each risk that some call of the tool may have. */
export function risksOf({ metadata: { risk = 'write', argumentRisks = {} } }: Risky): readonly ToolRisk[] {
  const others = Object.values(argumentRisks)
    .flatMap(levelsOf)
    .filter((other) => !isWithinRisk(other, risk));
  return [...new Set([risk, ...others])];
}

/** Whether a call of the tool may be made once more with the same arguments and the same idempotency key. */
export function mayRepeat(tool: Risky & { readonly metadata: Pick<ToolMetadata, 'idempotent'> }): boolean {
  const { metadata } = tool;
  return riskOf(tool) === 'read' || metadata.idempotent === true || metadata.idempotent === 'key';
}

/**
 * A tool's risk as listings show it: `read`, `write`, `destructive`, or `write (assumed)` where none is stated; `read to destructive`
 * where arguments have a greater one.
 */
export function showRisk(metadata: Risky['metadata']): string {
  const own = metadata.risk ?? 'write (assumed)';
  const most = riskOf({ metadata });
  return most === (metadata.risk ?? 'write') ? own : `${own} to ${most}`;
}

/** Which arguments have a greater risk than their tool: `destructive with delete, type=secret*`. Empty where none has. */
export function showArgumentRisks({ risk = 'write', argumentRisks = {} }: Risky['metadata']): string {
  return RISK_LEVELS.slice(RISK_LEVELS.indexOf(risk) + 1)
    .flatMap((level) => {
      const names = Object.entries(argumentRisks).flatMap(([name, other]) => showRiskyValues(name, other, level) ?? []);
      return names.length === 0 ? [] : [`${level} with ${names.join(', ')}`];
    })
    .join('; ');
}

/** A tool's risk for programs: what counts, and whether its author, a config or a trusted server stated it. */
export function riskFields({ risk, argumentRisks }: Risky['metadata']): {
  readonly risk: ToolRisk;
  readonly riskStated: boolean;
  readonly argumentRisks?: Readonly<Record<string, ArgumentRisk>>;
} {
  const more = argumentRisks === undefined ? {} : { argumentRisks };
  return { risk: risk ?? 'write', riskStated: risk !== undefined, ...more };
}

/** The source of tools that were written in code and say nothing of where they come from. */
const CODE = 'code';

/** Where a tool comes from, by the one name that listings, filters and rules use: its file, server or command; else `code`. */
export function sourceOf({ source }: Pick<ToolMetadata, 'source'>): string {
  return source ?? CODE;
}

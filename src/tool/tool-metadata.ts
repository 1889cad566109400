import {
  type ArgumentRisk,
  greatestRisk,
  levelsOf,
  RISK_LEVELS,
  showRiskyValues,
  type ToolRisk,
} from './parameters/argument-risk.ts';

export type { ArgumentRisk, ToolRisk } from './parameters/argument-risk.ts';

/** An example call, shown to models and indexed for search. */
export interface ToolExample {
  readonly description: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
  readonly explanation?: string;
}

/** An image of a tool, for people. */
export interface ToolIcon {
  /** An https or data URL. */
  readonly src: string;
  readonly mimeType?: string;
  /** Available sizes, such as `48x48` or `any`. */
  readonly sizes?: readonly string[];
  /** The background it is designed for. */
  readonly theme?: 'light' | 'dark';
}

/** Hints for MCP clients. `risk` takes precedence. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  /** True when repeating the call with the same arguments has no further effect. */
  readonly idempotentHint?: boolean;
  /** True when it reaches beyond what the board knows, like a web search. */
  readonly openWorldHint?: boolean;
}

/** The metadata of a tool: everything except its schema and its code. */
export interface ToolMetadata<TName extends string = string> {
  /** 1 to 128 of `A-Z a-z 0-9 _ . -`, unique on a board. */
  readonly name: TName;
  /** Other names for calls. They are not listed, and a tool with such a name takes precedence. */
  readonly aliases?: readonly string[];
  /** The name for people. */
  readonly displayName?: string;
  /** Images for people. */
  readonly icons?: readonly ToolIcon[];
  readonly description: string;
  readonly category?: ToolCategory;
  readonly tags?: readonly string[];
  readonly examples?: readonly ToolExample[];
  /** Requests that people would phrase for this tool. Indexed for search, not shown to models. */
  readonly utterances?: readonly string[];
  /** True for the most used tools of a source. Search prefers them among equal matches. */
  readonly common?: boolean;
  readonly usageNotes?: string;
  readonly limitations?: readonly string[];
  readonly version?: string;
  readonly author?: string;
  /** True for a deprecated tool, which stays callable. Listings and prompts mention it. */
  readonly deprecated?: boolean;
  /** The tool to use instead of a deprecated one. */
  readonly replacedBy?: string;
  /** The origin of the tool: a file, server or command line. */
  readonly source?: string;
  /** The kind of config entry that defines the tool. */
  readonly kind?: string;
  /** The risk of a call without any of the arguments in `argumentRisks`. Default: write. */
  readonly risk?: ToolRisk;
  /**
   * Arguments that raise the risk of a call: `{ delete: 'destructive' }`, or by value: `{ method: { GET: 'read', '*': 'write' } }`. A
   * dotted name addresses nested arguments.
   */
  readonly argumentRisks?: Readonly<Record<string, ArgumentRisk>>;
  /**
   * Allows repeating a call whose outcome is unknown: `true` when the same arguments have no further effect, `'key'` when the same
   * `context.idempotencyKey` has none. Default: false, unless the risk is `read`.
   */
  readonly idempotent?: boolean | 'key';
  /** Hints for MCP clients in addition to the risk. Policies do not read them. */
  readonly annotations?: ToolAnnotations;
  /** Further data for MCP clients, as the tool's `_meta`. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /**
   * The arguments that are paths, dotted for nested ones; empty for a tool without any. A policy with `roots` checks them, and refuses a
   * tool in code that does not declare them.
   */
  readonly paths?: readonly string[];
  /** Timeout of a call in milliseconds. Default: 30,000, unless the call or the executor says otherwise. */
  readonly timeout?: number;
  /** Maximum number of concurrent calls. */
  readonly concurrency?: number;
  /** Number of retries after a recoverable failure. Default: 0. */
  readonly retries?: number;
  /** Characters of result text before it is truncated. Default: 1,048,576. */
  readonly maxOutput?: number;
  /** Bytes of images, audio and files in a result; more are dropped. Default: 10,485,760. */
  readonly maxMedia?: number;
  /** Asks providers that support it to load this tool only when a search finds it. */
  readonly deferLoading?: boolean;
}

/** The part of a tool that determines its risk. */
export interface Risky {
  readonly metadata: Pick<ToolMetadata, 'risk' | 'argumentRisks'>;
}

/** Returns the greatest risk that a call of the tool can have. Default: write. */
export function riskOf({ metadata: { risk = 'write', argumentRisks } }: Risky): ToolRisk {
  return argumentRisks === undefined ? risk : greatestRisk([risk, ...Object.values(argumentRisks).flatMap(levelsOf)]);
}

export function isWithinRisk(risk: ToolRisk, most: ToolRisk): boolean {
  return RISK_LEVELS.indexOf(risk) <= RISK_LEVELS.indexOf(most);
}

export function risksFrom(risk: ToolRisk): readonly ToolRisk[] {
  return RISK_LEVELS.slice(RISK_LEVELS.indexOf(risk));
}

export function risksOf({ metadata: { risk = 'write', argumentRisks = {} } }: Risky): readonly ToolRisk[] {
  const others = Object.values(argumentRisks)
    .flatMap(levelsOf)
    .filter((other) => !isWithinRisk(other, risk));
  return [...new Set([risk, ...others])];
}

/** Returns true when a call may be repeated with the same arguments and idempotency key. */
export function mayRepeat(tool: Risky & { readonly metadata: Pick<ToolMetadata, 'idempotent'> }): boolean {
  const { metadata } = tool;
  return riskOf(tool) === 'read' || metadata.idempotent === true || metadata.idempotent === 'key';
}

/**
 * Formats a tool's risk for listings: `read`, `write`, `destructive`, `write (assumed)` if none is stated, or `read to destructive` if
 * arguments raise it.
 */
export function showRisk(metadata: Risky['metadata']): string {
  const own = metadata.risk ?? 'write (assumed)';
  const most = riskOf({ metadata });
  return most === (metadata.risk ?? 'write') ? own : `${own} to ${most}`;
}

/** Lists the arguments with a greater risk than their tool: `destructive with delete, type=secret*`. */
export function showArgumentRisks({ risk = 'write', argumentRisks = {} }: Risky['metadata']): string {
  return RISK_LEVELS.slice(RISK_LEVELS.indexOf(risk) + 1)
    .flatMap((level) => {
      const names = Object.entries(argumentRisks).flatMap(([name, other]) => showRiskyValues(name, other, level) ?? []);
      return names.length === 0 ? [] : [`${level} with ${names.join(', ')}`];
    })
    .join('; ');
}

/** Returns a tool's risk for programs. `riskStated` is true when its author, a config or a trusted server stated it. */
export function riskFields({ risk, argumentRisks }: Risky['metadata']): {
  readonly risk: ToolRisk;
  readonly riskStated: boolean;
  readonly argumentRisks?: Readonly<Record<string, ArgumentRisk>>;
} {
  const more = argumentRisks === undefined ? {} : { argumentRisks };
  return { risk: risk ?? 'write', riskStated: risk !== undefined, ...more };
}

/** The source of tools from code that name none. */
const CODE = 'code';

/** Returns the source of a tool for listings, filters and rules: its file, server or command, or `code`. */
export function sourceOf({ source }: Pick<ToolMetadata, 'source'>): string {
  return source ?? CODE;
}

/** The predefined categories. A tool may have any other string, or none. */
export const ToolCategory = {
  FILE_SYSTEM: 'file-system',
  WEB: 'web',
  CODE: 'code',
  DATABASE: 'database',
  API: 'api',
  UTILITY: 'utility',
  CUSTOM: 'custom',
} as const;

/** A predefined category, or one of your own. */
export type ToolCategory = (typeof ToolCategory)[keyof typeof ToolCategory] | (string & {});

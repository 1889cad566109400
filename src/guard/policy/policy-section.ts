import type { ApprovalNotify } from '../../tool/calls/approval.ts';
import type { ToolRisk } from '../../tool/tool-metadata.ts';

/** One or more texts; `*` matches anything. */
export type PolicyNames = string | readonly string[];

/** Selects the tools of a rule: every given field must match. */
export interface PolicySelector {
  readonly name?: PolicyNames | undefined;
  /** One of the tool's tags. */
  readonly tag?: PolicyNames | undefined;
  readonly category?: PolicyNames | undefined;
  /** `read`, `write` or `destructive`; a tool without a risk counts as `write`. */
  readonly risk?: PolicyNames | undefined;
  readonly source?: PolicyNames | undefined;
}

/** A tool's name, or a description of tools. */
export type PolicyRule = string | PolicySelector;

/** Limits for an argument. Each item of a list must meet them. */
export interface ArgumentLimits {
  /** The whole value must match. */
  readonly pattern?: string | null;
  readonly min?: number | null;
  readonly max?: number | null;
  readonly enum?: readonly (string | number | boolean)[];
  readonly max_length?: number;
}

/** The lowest risk that needs approval: `all` asks about every tool, `none` about none. */
export type ApprovalLevel = 'none' | 'destructive' | 'write' | 'all';

/** The rules for one tool. */
export interface ToolRules {
  readonly description?: string | null;
  /** By argument; a dotted path addresses nested ones. */
  readonly args?: Readonly<Record<string, ArgumentLimits>>;
  readonly require_approval?: boolean;
}

/** Calls that a person has approved permanently. */
export type ApprovedCall =
  | string
  | {
      readonly tool: string;
      /** Only calls with exactly these arguments. Default: any. */
      readonly args?: Readonly<Record<string, unknown>>;
      /** Only calls with at most this risk. Default: any. */
      readonly risk?: ToolRisk;
      /** The hash of the tool's definition when the person was asked: a changed tool needs a new approval. Default: any definition. */
      readonly definition?: string;
    };

/** A prompt's name or a resource's URI, in which `*` matches anything, or everything from a server or file. */
export type OfferRule = string | { readonly source: PolicyNames };

/** Selects the allowed prompts or resources. */
export interface OfferRules {
  readonly allow?: readonly OfferRule[] | undefined;
  readonly deny?: readonly OfferRule[] | undefined;
}

/** The requests that an MCP server may send to the callers of its tools. */
export type ServerQuestion = 'sampling' | 'elicitation' | 'roots';

/** The `policy` section of a config file; a CLImax policy file has the same shape. */
export interface PolicySection {
  /** The default for tools without a matching rule. */
  readonly default?: 'enabled' | 'disabled';
  readonly allow?: readonly PolicyRule[];
  readonly deny?: readonly PolicyRule[];
  readonly tools?: Readonly<Record<string, ToolRules | null>>;
  /** Folders that must contain path arguments. */
  readonly roots?: readonly string[];
  /** The access of tools to files that define the board. */
  readonly files?: {
    /** `write` lets tools change the board's own files. Default: `read`. */
    readonly board?: 'read' | 'write';
    /** Folders of git repositories, in addition to the board's own, whose settings and hooks may run programs. */
    readonly repositories?: readonly string[];
  };
  /** By name. Default: all are allowed, unless `default` is `disabled`. */
  readonly prompts?: OfferRules;
  /** By URI. */
  readonly resources?: OfferRules;
  /** The tools that pages (MCP Apps) may call; `false` for none. Default: enabled tools that their server declares for pages. */
  readonly apps?: false | { readonly allow?: readonly PolicyRule[]; readonly deny?: readonly PolicyRule[] };
  /** By the name of the server; `*` matches anything. */
  readonly servers?: Readonly<Record<string, Partial<Readonly<Record<ServerQuestion, boolean>>>>>;
  readonly approval?: {
    readonly global?: ApprovalLevel;
    /** The decision when no one can be asked; `wait` leaves the question to other processes of the board. */
    readonly headless?: 'deny' | 'approve' | 'wait';
    readonly tools?: Readonly<Record<string, ApprovalLevel | boolean>>;
    /** Time until a question expires: seconds, or a text such as `2h`. Default: a day. */
    readonly expires?: number | string;
    /** The receivers of notifications about waiting questions. */
    readonly notify?: ApprovalNotify;
    /** Maximum number of waiting questions. Default: 500 per caller, 2,000 in total. */
    readonly max_waiting?: { readonly per_caller?: number; readonly per_board?: number };
  };
  /** Permanent approvals: a tool's name, its calls up to a risk, or a tool with exactly these arguments. */
  readonly approved?: readonly ApprovedCall[];
  /** The environment in which CLImax runs commands. */
  readonly executor?: {
    readonly type?: 'local' | 'docker';
    readonly image?: string | null;
    readonly volumes?: readonly string[];
    readonly network?: string | null;
    readonly working_dir?: string | null;
  };
}

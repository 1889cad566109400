import type { ApprovalNotify } from '../../tool/calls/approval.ts';
import type { ToolRisk } from '../../tool/tool-metadata.ts';

/** One text or several; `*` stands for anything. */
export type PolicyNames = string | readonly string[];

/** Selects the tools of a rule: every given field must match. */
export interface PolicySelector {
  readonly name?: PolicyNames | undefined;
  /** One of the tool's tags. */
  readonly tag?: PolicyNames | undefined;
  readonly category?: PolicyNames | undefined;
  /** `read`, `write` or `destructive`; a tool that does not say counts as `write`. */
  readonly risk?: PolicyNames | undefined;
  readonly source?: PolicyNames | undefined;
}

/** A tool's name, or a description of tools. */
export type PolicyRule = string | PolicySelector;

/** Limits of an argument. Each item of a list must keep to them. */
export interface ArgumentLimits {
  /** The whole value must match. */
  readonly pattern?: string | null;
  readonly min?: number | null;
  readonly max?: number | null;
  readonly enum?: readonly (string | number | boolean)[];
  readonly max_length?: number;
}

/** The least risk that needs an approval: `all` asks about every tool, `none` about none. */
export type ApprovalLevel = 'none' | 'destructive' | 'write' | 'all';

/** The rules for one tool. */
export interface ToolRules {
  readonly description?: string | null;
  /** By argument; a dotted path leads into nested ones. */
  readonly args?: Readonly<Record<string, ArgumentLimits>>;
  readonly require_approval?: boolean;
}

/** Calls that a person has allowed for good. */
export type ApprovedCall =
  | string
  | {
      readonly tool: string;
      /** Calls with exactly these arguments. Default: with any. */
      readonly args?: Readonly<Record<string, unknown>>;
      /** Calls that have at most this risk. Default: any. */
      readonly risk?: ToolRisk;
      /** The hash of what the tool was when the person was asked: calls of a changed tool need a new approval. Default: the tool as it is. */
      readonly definition?: string;
    };

/** A prompt's name or a resource's address, in which `*` stands for anything, or all that a server or file brings. */
export type OfferRule = string | { readonly source: PolicyNames };

/** Selects the prompts, or the resources, that may be used. */
export interface OfferRules {
  readonly allow?: readonly OfferRule[] | undefined;
  readonly deny?: readonly OfferRule[] | undefined;
}

/** The requests that an MCP server may send to the callers of its tools. */
export type ServerQuestion = 'sampling' | 'elicitation' | 'roots';

/** The `policy` section of a config file; a CLImax policy file has the same shape. */
export interface PolicySection {
  /** Allows or forbids tools that no rule names. */
  readonly default?: 'enabled' | 'disabled';
  readonly allow?: readonly PolicyRule[];
  readonly deny?: readonly PolicyRule[];
  readonly tools?: Readonly<Record<string, ToolRules | null>>;
  /** Folders that path arguments must lie in. */
  readonly roots?: readonly string[];
  /** The rights of tools on files that decide what the board does. */
  readonly files?: {
    /** `write` lets tools change what the board is made of. Default: `read`. */
    readonly board?: 'read' | 'write';
    /** Folders of git repositories, besides the board's own, whose settings and hooks may run programs. */
    readonly repositories?: readonly string[];
  };
  /** By name. Without it, and without `default: disabled`, all may be used. */
  readonly prompts?: OfferRules;
  /** By address. */
  readonly resources?: OfferRules;
  /** The tools that pages (MCP Apps) may call; `false` for none. Default: enabled tools that their server means for pages. */
  readonly apps?: false | { readonly allow?: readonly PolicyRule[]; readonly deny?: readonly PolicyRule[] };
  /** By the name of the server, in which `*` stands for anything. */
  readonly servers?: Readonly<Record<string, Partial<Readonly<Record<ServerQuestion, boolean>>>>>;
  readonly approval?: {
    readonly global?: ApprovalLevel;
    /** The decision when no one can be asked; `wait` leaves the question to other processes of the board. */
    readonly headless?: 'deny' | 'approve' | 'wait';
    readonly tools?: Readonly<Record<string, ApprovalLevel | boolean>>;
    /** Time in which a question may be answered: seconds, or a text such as `2h`. Default: a day. */
    readonly expires?: number | string;
    /** The receivers of a message that a question waits. */
    readonly notify?: ApprovalNotify;
    /** The most questions that may wait at once. Default: 500 of one caller, 2,000 of all. */
    readonly max_waiting?: { readonly per_caller?: number; readonly per_board?: number };
  };
  /** Permanent approvals: a tool's name, its calls up to a risk, or a tool with exactly these arguments. */
  readonly approved?: readonly ApprovedCall[];
  /** The place where CLImax runs commands. */
  readonly executor?: {
    readonly type?: 'local' | 'docker';
    readonly image?: string | null;
    readonly volumes?: readonly string[];
    readonly network?: string | null;
    readonly working_dir?: string | null;
  };
}

/** What a call of a tool may do. */
export type Risk = 'read' | 'write' | 'destructive';

/** How many tools there are of each, the most frequent first. */
export type Counts = readonly (readonly [name: string, count: number])[];

/** `GET /api/board`: what there is, and what it costs in a prompt. */
export interface BoardOverview {
  readonly name: string;
  readonly toolCount: number;
  readonly sources: readonly {
    readonly name: string;
    readonly description: string;
    readonly toolCount: number;
    readonly tokens: number;
  }[];
  /** What tools can be filtered by. */
  readonly groups: { readonly category: Counts; readonly source: Counts; readonly tag: Counts; readonly risk: Counts };
  /** Estimated tokens, in MCP's format: of the whole list, and of the tools for finding others. */
  readonly tokens: { readonly all: number; readonly discovery: number };
  /** Whether approvals are answered here. */
  readonly hasApprovals: boolean;
  /** Why the files could not be loaded again; the board stays as it was. */
  readonly reloadFault?: string;
  /** MCP servers that describe their tools otherwise than when a person last looked, with the changes. */
  readonly changedServers: readonly { readonly name: string; readonly changes: string }[];
}

/** A tool in a list. */
export interface ToolSummary {
  readonly name: string;
  readonly description: string;
  readonly source: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly risk: Risk;
  /** Whether the risk was stated; `write` is assumed otherwise. */
  readonly riskStated: boolean;
  readonly isDeprecated: boolean;
}

/** `GET /api/tools`: the tools of the board, or those that fit a query, best first; from `offset`, at most `limit`. */
export interface ToolPage {
  readonly tools: readonly ToolSummary[];
  /** How many there are in all; for a query, how many were looked at. */
  readonly total: number;
  /** Whether further ones follow these. */
  readonly hasMore: boolean;
  readonly note?: string;
}

/** `GET /api/tools/NAME`: everything about a tool that is no secret. */
export interface ToolDetail extends ToolSummary {
  readonly title: string | undefined;
  readonly kind: string | undefined;
  /** `git_log(max_count (integer, optional))`. */
  readonly signature: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined;
  readonly examples: readonly { readonly description: string; readonly input: Readonly<Record<string, unknown>> }[];
  readonly notes: readonly string[];
  readonly timeoutMs: number | undefined;
  readonly tokens: number;
  /** The app that shows its results (MCP Apps), by its address. */
  readonly app: string | undefined;
}

/** `POST /api/apps` with the name of a tool: an app for a frame. `GET /apps/ID` gives its document, once. */
export interface AppFrame {
  readonly id: string;
  /** Its address, `ui://…`. */
  readonly page: string;
  /** The server or file whose tools it may call. */
  readonly place: string;
  /** Addresses that it asked for and does not get. */
  readonly refused: readonly string[];
}

/** `POST /api/apps/ID/call` and `/read`: what MCP answers an app. */
export interface AppAnswer {
  readonly mcpResult: Readonly<Record<string, unknown>>;
}

/** Something that is wrong, with what to do about it. */
export interface ApiError {
  readonly code: string;
  readonly message: string;
}

/** How a call ended. */
export interface CallOutcome {
  readonly ok: boolean;
  /** What the model reads; the middle of a long text is left out. */
  readonly text: string;
  /** Characters of the whole text. */
  readonly length: number;
  readonly error?: ApiError & { readonly issues: readonly { readonly path: string; readonly message: string }[] };
  readonly notices: readonly string[];
}

/** `POST /api/tools/NAME/call`: the outcome with all that the tool gave. */
export interface CallAnswer extends CallOutcome {
  readonly callId: string;
  readonly durationMs: number;
  readonly data?: unknown;
  /** What came besides the text, in the order of the result. */
  readonly parts: readonly AnswerPart[];
  /** The result as MCP has it, for a tool with an app. */
  readonly mcpResult?: unknown;
}

/** A piece of a result that is more than text. */
export type AnswerPart =
  /** Bytes in base64; `uri` where the tool gave them a name. */
  | {
      readonly type: 'image' | 'audio' | 'file';
      readonly mimeType: string;
      readonly data: string;
      readonly uri?: string;
    }
  | { readonly type: 'text'; readonly text: string; readonly uri: string; readonly mimeType: string }
  | {
      readonly type: 'link';
      readonly uri: string;
      readonly name: string;
      readonly description: string;
      readonly mimeType: string;
    };

/** A call on the board; `GET /api/calls` gives the last ones, newest first. */
export interface CallRecord {
  /** Unique here; callers may use a call id twice. */
  readonly id: number;
  readonly callId: string;
  /** The call inside of which it was made: of a program, a saved program or an agent. Missing for one that was made by itself. */
  readonly parent?: string;
  readonly tool: string;
  /** `agent helper`, `MCP client`, `inspector`, `code`. */
  readonly caller: string;
  /** JSON, secrets taken out. */
  readonly args: string;
  readonly startedAt: number;
  /** Missing while it runs. */
  readonly durationMs?: number;
  readonly outcome?: CallOutcome;
}

/** A question about a call. */
export interface Approval {
  readonly id: string;
  readonly tool: string;
  readonly description: string;
  readonly risk: Risk;
  /** A line for each argument, all of it: those that the schema declares first. Secrets taken out, hidden characters spelt out. */
  readonly args: string;
  /** The tool's own words for what is asked, where its author wrote some. */
  readonly question: string | undefined;
  readonly callId: string;
  readonly caller: string;
  readonly since: number;
  /** When it is too late to answer. */
  readonly expiresAt?: number;
  /** The arguments as JSON, without secrets, to be edited. */
  readonly input: string;
  /** Whether the board keeps it: then a yes may hold for more than this call, and its arguments may be edited. */
  readonly isKept: boolean;
}

/** A question that is over. */
export interface AnsweredApproval extends Approval {
  readonly outcome: 'allowed' | 'denied' | 'ended' | 'expired';
  readonly reason: string | undefined;
  /** Who answered. */
  readonly by?: string | undefined;
  readonly at: number;
}

/** `GET /api/approvals`: what waits, oldest first, and what was answered last, newest first. */
export interface ApprovalList {
  readonly pending: readonly Approval[];
  readonly settled: readonly AnsweredApproval[];
}

/** `GET /api/approvals/ID/line?scope=tool`: what an answer for good would write into the policy. */
export interface ApprovalLine {
  readonly files: readonly string[];
  readonly text: string;
}

/** What a server wants to know from the person who made a call here. */
export type Question = {
  readonly id: string;
  readonly tool: string;
  /** The server that asks. */
  readonly source: string;
  /** The server's words. */
  readonly message: string;
} & (
  | { readonly mode: 'form'; readonly schema: Readonly<Record<string, unknown>> }
  | { readonly mode: 'url'; readonly url: string; readonly host: string }
);

/** `GET /api/questions`: what servers wait for, oldest first. */
export interface QuestionList {
  readonly questions: readonly Question[];
}

/** What `GET /api/events` tells as it happens. */
export type InspectorEvent =
  | { readonly type: 'calls'; readonly calls: readonly CallRecord[] }
  | { readonly type: 'approvals'; readonly approvals: ApprovalList }
  | { readonly type: 'questions'; readonly questions: readonly Question[] }
  /** The tools are others than before. */
  | { readonly type: 'board' };

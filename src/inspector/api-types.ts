export type Risk = 'read' | 'write' | 'destructive';

/** Names with their number of tools, most frequent first. */
export type Counts = readonly (readonly [name: string, count: number])[];

/** `GET /api/board`: the contents of the board and its cost in a prompt. */
export interface BoardOverview {
  readonly name: string;
  readonly toolCount: number;
  readonly sources: readonly {
    readonly name: string;
    readonly description: string;
    readonly toolCount: number;
    readonly tokens: number;
  }[];
  /** The filters for tools. */
  readonly groups: { readonly category: Counts; readonly source: Counts; readonly tag: Counts; readonly risk: Counts };
  /** Estimated tokens in MCP's format: of the whole list, and of the discovery tools. */
  readonly tokens: { readonly all: number; readonly discovery: number };
  /** True when approvals can be answered here. */
  readonly hasApprovals: boolean;
  /** The error of a failed reload; the board is unchanged. */
  readonly reloadFault?: string;
  /** MCP servers that describe their tools differently than when a person last looked, with the changes. */
  readonly changedServers: readonly { readonly name: string; readonly changes: string }[];
}

export interface ToolSummary {
  readonly name: string;
  readonly description: string;
  readonly source: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly risk: Risk;
  /** True when the risk was declared; otherwise `write` is assumed. */
  readonly riskStated: boolean;
  readonly isDeprecated: boolean;
}

/** `GET /api/tools`: the tools of the board, or those that match a query, best first; at most `limit` from `offset`. */
export interface ToolPage {
  readonly tools: readonly ToolSummary[];
  /** The number of tools, or of matches for a query. */
  readonly total: number;
  readonly hasMore: boolean;
  readonly note?: string;
}

/** `GET /api/tools/NAME`: all details of a tool except secrets. */
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
  /** The address of the app that shows its results (MCP Apps). */
  readonly app: string | undefined;
}

/** `POST /api/apps` with the name of a tool: an app for a frame. `GET /apps/ID` returns its document once. */
export interface AppFrame {
  readonly id: string;
  /** The app's address, `ui://…`. */
  readonly page: string;
  /** The server or file whose tools it may call. */
  readonly place: string;
  /** Addresses that it requested but may not reach. */
  readonly refused: readonly string[];
}

/** `POST /api/apps/ID/call` and `/read`: the MCP result for an app. */
export interface AppAnswer {
  readonly mcpResult: Readonly<Record<string, unknown>>;
}

/** An error with its fix. */
export interface ApiError {
  readonly code: string;
  readonly message: string;
}

/** The end of a call. */
export interface CallOutcome {
  readonly ok: boolean;
  /** The text for the model; the middle of a long text is omitted. */
  readonly text: string;
  /** The length of the full text in characters. */
  readonly length: number;
  readonly error?: ApiError & { readonly issues: readonly { readonly path: string; readonly message: string }[] };
  readonly notices: readonly string[];
}

/** `POST /api/tools/NAME/call`: the outcome with the full result. */
export interface CallAnswer extends CallOutcome {
  readonly callId: string;
  readonly durationMs: number;
  readonly data?: unknown;
  /** Content other than text, in the order of the result. */
  readonly parts: readonly AnswerPart[];
  /** The result in MCP's format, for a tool with an app. */
  readonly mcpResult?: unknown;
}

/** A piece of content other than plain text. */
export type AnswerPart =
  /** Bytes in base64; `uri` if the tool named them. */
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

/** A call on the board; `GET /api/calls` lists the latest, newest first. */
export interface CallRecord {
  /** A unique id; callers may reuse a `callId`. */
  readonly id: number;
  readonly callId: string;
  /** The call of a program or agent that made this call, if any. */
  readonly parent?: string;
  readonly tool: string;
  /** `agent helper`, `MCP client`, `inspector`, `code`. */
  readonly caller: string;
  /** The arguments as JSON, without secrets. */
  readonly args: string;
  readonly startedAt: number;
  /** Missing while it runs. */
  readonly durationMs?: number;
  readonly outcome?: CallOutcome;
}

/** An approval that waits for an answer. */
export interface Approval {
  readonly id: string;
  readonly tool: string;
  readonly description: string;
  readonly risk: Risk;
  /** One line for each argument in full, declared ones first. Secrets are removed, hidden characters escaped. */
  readonly args: string;
  /** The question that the tool's author wrote, if any. */
  readonly question: string | undefined;
  readonly callId: string;
  readonly caller: string;
  readonly since: number;
  /** The end of the time to answer. */
  readonly expiresAt?: number;
  /** The arguments as JSON, without secrets, to be edited. */
  readonly input: string;
  /** True when the board stores it: then an approval may cover more than this call, and the arguments may be edited. */
  readonly isKept: boolean;
  /** True for a change of the board's files, which no call made. */
  readonly isChange?: boolean;
}

/** An approval that was answered or ended. */
export interface AnsweredApproval extends Approval {
  readonly outcome: 'allowed' | 'denied' | 'ended' | 'expired';
  readonly reason: string | undefined;
  readonly by?: string | undefined;
  readonly at: number;
}

/** `GET /api/approvals`: waiting approvals, oldest first, and the latest answers, newest first. */
export interface ApprovalList {
  readonly pending: readonly Approval[];
  readonly settled: readonly AnsweredApproval[];
}

/** `GET /api/approvals/ID/line?scope=tool`: the line that a permanent approval would add to the policy. */
export interface ApprovalLine {
  readonly files: readonly string[];
  readonly text: string;
}

/** A server's question to the person who made a call here. */
export type Question = {
  readonly id: string;
  readonly tool: string;
  /** The server that asks. */
  readonly source: string;
  /** The server's text. */
  readonly message: string;
} & (
  | { readonly mode: 'form'; readonly schema: Readonly<Record<string, unknown>> }
  | { readonly mode: 'url'; readonly url: string; readonly host: string }
);

/** `GET /api/questions`: the waiting questions of servers, oldest first. */
export interface QuestionList {
  readonly questions: readonly Question[];
}

/** An event of `GET /api/events`. */
export type InspectorEvent =
  | { readonly type: 'calls'; readonly calls: readonly CallRecord[] }
  | { readonly type: 'approvals'; readonly approvals: ApprovalList }
  | { readonly type: 'questions'; readonly questions: readonly Question[] }
  /** The tools changed. */
  | { readonly type: 'board' };

import type { ToolContext } from './tool-context.ts';

/** A prompt, a resource or a resource template on a board. */
export interface OfferedItem {
  /** The name of a prompt, the URI of a resource, or a URI template. */
  readonly id: string;
  /** The server or file it comes from. */
  readonly source: string;
  /** Its entry in MCP lists. */
  readonly listing: Readonly<Record<string, unknown>>;
}

/** The subject of rights and policies: a prompt by name, or a resource by URI. */
export interface OfferPlace {
  readonly type: 'prompt' | 'resource';
  readonly id: string;
  readonly source: string;
}

/** A request for a prompt or a resource. */
export interface OfferRequest {
  /** The context that a tool call by the same caller would have. */
  readonly context: ToolContext;
  /** Returns true for items that the caller may use. Default: all. */
  readonly allows?: ((place: OfferPlace) => boolean) | undefined;
}

/** A request to complete an argument. */
export interface CompletionRequest {
  readonly type: 'prompt' | 'resource';
  /** The name of the prompt, or the template. */
  readonly id: string;
  readonly argument: { readonly name: string; readonly value: string };
  /** The other arguments, as far as known. */
  readonly others?: Readonly<Record<string, string>> | undefined;
}

/** Suggested values for an argument of a prompt or resource template. */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number | undefined;
  readonly hasMore?: boolean | undefined;
}

/** A result as MCP defines it. */
export type OfferResult = Readonly<Record<string, unknown>>;

/** A skill in MCP's skills extension: its `SKILL.md`, its front matter, and all its files. */
export interface SkillEntry {
  readonly uri: string;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
}

/** A source of prompts and resources. Each method returns `undefined` for items that do not exist or that the caller may not use. */
export interface OfferSource {
  prompts(request: OfferRequest): readonly OfferedItem[];
  resources(request: OfferRequest): readonly OfferedItem[];
  templates(request: OfferRequest): readonly OfferedItem[];
  /** Lists the skills among the resources. */
  skills?(request: OfferRequest): readonly SkillEntry[];
  /** Returns the result of `prompts/get`. */
  get(name: string, args: Readonly<Record<string, string>>, request: OfferRequest): Promise<OfferResult | undefined>;
  /** Returns the result of `resources/read`. */
  read(uri: string, request: OfferRequest): Promise<OfferResult | undefined>;
  complete(wanted: CompletionRequest, request: OfferRequest): Promise<Completion | undefined>;
  /** Calls `listener` when a resource changes. Returns a function that stops it. */
  follow(uri: string, request: OfferRequest, listener: () => void): Promise<(() => void) | undefined>;
}

/** A log line of another MCP server that belongs to no call. */
export interface OfferLog {
  readonly server: string;
  readonly level: string;
  readonly text: string;
  /** Returns true when the process that wrote it belongs to this client. */
  isFor(client: { readonly user: string; readonly session: string }): boolean;
}

/** The prompts and resources of a board: its own, and those of other MCP servers on it. */
export interface BoardOffers extends OfferSource {
  /** Calls `listener` when a list changes. Returns a function that stops it. */
  onChange(listener: (list: 'prompts' | 'resources') => void): () => void;
  /** Calls `listener` with log lines of servers that belong to no call. Returns a function that stops it. */
  onLog?(listener: (line: OfferLog) => void): () => void;
}

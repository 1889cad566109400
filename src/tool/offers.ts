import type { ToolContext } from './tool-context.ts';

/** A prompt, a resource or a template of resources on a board. */
export interface OfferedItem {
  /** The name of a prompt, the address of a resource, or a template of addresses. */
  readonly id: string;
  /** The server or file that it comes from. */
  readonly source: string;
  /** What MCP lists of it. */
  readonly listing: Readonly<Record<string, unknown>>;
}

/** What rights and policies are about: a prompt by its name, or a resource by its address. */
export interface OfferPlace {
  readonly type: 'prompt' | 'resource';
  readonly id: string;
  readonly source: string;
}

/** Who wants something of a board's prompts and resources. */
export interface OfferRequest {
  /** Whose request it is, and who can be asked meanwhile: the context that a call of a tool would have. */
  readonly context: ToolContext;
  /** What the caller may use. Default: everything. */
  readonly allows?: ((place: OfferPlace) => boolean) | undefined;
}

/** An argument of which some letters are written. */
export interface CompletionRequest {
  readonly type: 'prompt' | 'resource';
  /** The name of the prompt, or the template. */
  readonly id: string;
  readonly argument: { readonly name: string; readonly value: string };
  /** The arguments that are written already. */
  readonly others?: Readonly<Record<string, string>> | undefined;
}

/** What an argument may become. */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number | undefined;
  readonly hasMore?: boolean | undefined;
}

/** A result as MCP has it. */
export type OfferResult = Readonly<Record<string, unknown>>;

/** A skill as the skills extension of MCP lists it: its `SKILL.md`, what its front matter says, and all its files. */
export interface SkillEntry {
  readonly uri: string;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
}

/** Where prompts and resources come from. Each method gives `undefined` for what is not there, or not for the caller. */
export interface OfferSource {
  prompts(request: OfferRequest): readonly OfferedItem[];
  resources(request: OfferRequest): readonly OfferedItem[];
  templates(request: OfferRequest): readonly OfferedItem[];
  /** The skills among the resources. */
  skills?(request: OfferRequest): readonly SkillEntry[];
  /** What a prompt says: the result of `prompts/get`. */
  get(name: string, args: Readonly<Record<string, string>>, request: OfferRequest): Promise<OfferResult | undefined>;
  /** What is at an address: the result of `resources/read`. */
  read(uri: string, request: OfferRequest): Promise<OfferResult | undefined>;
  complete(wanted: CompletionRequest, request: OfferRequest): Promise<Completion | undefined>;
  /** Hears of changes of a resource until the function that it gives is called. */
  follow(uri: string, request: OfferRequest, hear: () => void): Promise<(() => void) | undefined>;
}

/** A log line of another MCP server that belongs to no call. */
export interface OfferLog {
  readonly server: string;
  readonly level: string;
  readonly text: string;
  /** Whether the process that wrote it is this client's. */
  isFor(client: { readonly user: string; readonly session: string }): boolean;
}

/** The prompts and resources of a board: its own, and those of other MCP servers on it. */
export interface BoardOffers extends OfferSource {
  /** Tells when a list has changed, until the function that it gives is called. */
  onChange(listener: (list: 'prompts' | 'resources') => void): () => void;
  /** Hears log lines of servers that belong to no call, until the function that it gives is called. */
  onLog?(listener: (line: OfferLog) => void): () => void;
}

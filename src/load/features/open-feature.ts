import type { Absence, ArrivalWish } from '../../board/registry/absent-tools.ts';
import type { DryVerdict } from '../../guard/approval/guard.ts';
import type { ExecutorOptions } from '../../pipeline/executor-options.ts';
import type { CallRecorder } from '../../pipeline/call-recorder.ts';
import type { CallSpans } from '../../pipeline/call-spans.ts';
import type { AfterExecute, BeforeExecute, ToolHook } from '../../pipeline/tool-hooks.ts';
import type { KindHost, ToolEntry } from '../../kinds/kind.ts';
import type { ApprovalKeeper } from '../../tool/calls/approval.ts';
import type { CallGuard, GuardRequest, ReserveCall } from '../../tool/calls/call-bounds.ts';
import type { OfferPlace, OfferSource } from '../../tool/offers.ts';
import type { Tool } from '../../tool/tool.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { LoadedFile } from '../loaded-file.ts';
import type { PinnedTexts, Refusal, ToolList, ToolOffer, WantedTool } from './tool-list.ts';

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** The contributions of an open feature to the calls and tools of a board. */
export interface OpenFeature<Api = unknown> {
  /** Passed to its commands and to features that need it. */
  readonly api?: Api;
  /** Tools that it puts on the board; an offer names its source for the lock. */
  tools?(): Awaitable<readonly (Tool | ToolOffer)[]>;
  /** @internal Tools of other programs, which get names that are not taken. */
  namedTools?(taken: ReadonlySet<string>, list: ToolList): Awaitable<readonly ToolOffer[]>;
  /** @internal Returns the source of a tool that a kind made with its help. */
  originOf?(tool: Tool): ToolOffer | undefined;
  /** @internal Texts that the lock pins beside the tools of a list. */
  pins?(list: ToolList): Partial<Pick<PinnedTexts, 'instructions' | 'offers' | 'packages' | 'queries'>>;
  /** @internal Compares tools with what a person has agreed to. Returns those that must not pass, each with the reason. */
  gate?(offers: readonly ToolOffer[], list: ToolList): Awaitable<ReadonlyMap<string, string>>;
  /**
   * Adds tools to those that the lock accepts; policies judge them too. `taken` contains the names in use, including those of refused
   * tools.
   */
  equip?(passed: readonly PassedTool[], taken: ReadonlySet<string>, list: ToolList): readonly Tool[];
  /** Returns the tools that callers must not have, each with the reason. People read it; callers only where the refusal says so. */
  filter?(tools: readonly Tool[], list: ToolList): ReadonlyMap<string, string | Refusal>;
  /** @internal Replaces the description of a tool. */
  describe?(tool: Tool, list: ToolList): string | undefined;
  /** @internal Adds tools to the final list, which no policy hides, and reports names that both have. */
  complete?(tools: readonly Tool[], files: readonly LoadedFile[]): CompletedTools;
  /** Finds faults of its settings that depend on the tools of the board. Called after each change of the tools. */
  listed?(tools: readonly Tool[], board: ListedBoard): readonly Diagnostic[];
  /** @internal Notes a call before any guard judges it. */
  judging?(call: GuardRequest): void;
  /** Judges each call by its final arguments, always with the current settings. */
  readonly guard?: CallGuard;
  /** @internal False for a call that the guard agrees to without a look. Default: true. */
  isGuarded?(tool: Tool, args: unknown): boolean;
  /**
   * Reserves resources for a call after every guard has agreed. Returns an error to refuse the call, or a function that is called once with
   * the outcome.
   */
  readonly reserve?: ReserveCall;
  /** Returns the verdict of a dry run. Asks nobody, reserves and writes nothing. */
  foresee?(tool: Tool, args: Readonly<Record<string, unknown>>): DryVerdict | undefined;
  readonly hooks?: { readonly before?: ToolHook<BeforeExecute>; readonly after?: ToolHook<AfterExecute> };
  /** @internal Limits of calls, unless code sets them. */
  readonly limits?: CallLimits;
  /** @internal Stores texts that are too long to return. */
  readonly keepOutput?: ExecutorOptions['keepOutput'];
  /** @internal Stores questions to people. */
  readonly approvals?: ApprovalKeeper;
  /** @internal */
  readonly recorder?: CallRecorder;
  /** @internal */
  readonly spans?: CallSpans;
  /** Prompts and resources that it puts on the board. A function gets the names of prompts that are taken. */
  readonly offers?: OfferSource | ((taken: ReadonlySet<string>, list: ToolList) => OfferSource) | undefined;
  /** @internal True when its tools may come and change after the board is open, as those of servers do. */
  readonly hasLateTools?: boolean;
  /** @internal Describes the parts behind a tool as plain data without secrets: another description makes another tool. */
  definitionOf?(tool: Tool): unknown;
  /** @internal Texts about sources of tools, by source, which searches read in addition to what tools say. */
  about?(): ReadonlyMap<string, string>;
  /** @internal True while it may still bring this tool, or any tool. */
  mayBring?(wanted?: WantedTool): boolean;
  /** @internal Settles when a tool is there that it may bring, or cannot be brought; `undefined` when there is nothing to wait for. */
  pending?(wanted: WantedTool, wish: ArrivalWish): Promise<void> | undefined;
  /** @internal Explains why a tool is not there that it may bring. */
  explainAbsence?(wanted: WantedTool): Absence | undefined;
  /** @internal Waits for the tools that it may still bring; `retry` asks those again that failed. */
  ready?(retry: boolean): Promise<void>;
  /** @internal Called when the board has taken it up. */
  started?(): void;
  /** False for a prompt or a resource that callers must not have. */
  allowsOffer?(place: OfferPlace): boolean;
  /** @internal Parts of the board that kinds of tools use. */
  readonly kindHost?: Partial<KindHost>;
  /** @internal Describes these parts as plain data: the tools of all entries are made again when it changes. */
  readonly kindKey?: unknown;
  /** @internal True when changes that a tool made to the board's files must not be taken over. */
  readonly protectsFiles?: boolean;
  /** Absolute paths of files and folders that the board is made of: no tool may write them. */
  ownFiles?(list: ToolList): readonly string[];
  /** True when a reload opens it again though its settings are the same. Default: false. */
  isStale?(): boolean;
  /** Absolute paths of files whose change reloads a watched board. */
  watched?(): readonly string[];
  diagnostics?(): readonly Diagnostic[];
  /** Rows of `pegboard status`. */
  status?(): Awaitable<FeatureRows>;
  /** Rows of `pegboard calls show`: its part in one recorded call. */
  explain?(callId: string): Awaitable<FeatureRows>;
  /** Findings of `pegboard doctor`. */
  doctor?(): Awaitable<readonly FeatureFinding[]>;
  /** Ends its connections: it was replaced and its last call has ended, or the board is closing. `close` follows. */
  retire?(isClosing: boolean): Awaitable<void>;
  /** Releases its resources. Also called when a reload fails before the swap. */
  close?(): Awaitable<void>;
}

/** A tool of the board, with its entry in a file; `undefined` for a tool of code or of a server. */
export interface PassedTool {
  readonly tool: Tool;
  readonly entry: ToolEntry | undefined;
}

/** The final list of tools, and diagnostics about tools that gave way. */
export interface CompletedTools {
  readonly tools: readonly Tool[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Describes the tools that a board may have later. */
export interface ListedBoard {
  /** All tools, also those that features hide from callers. */
  readonly all: readonly Tool[];
  /** Returns true when a server that has not answered yet may have a tool that a name, pattern or selector picks. */
  readonly mayCome: (pick: unknown) => boolean;
  /** True when the board has servers, whose tools may change. */
  readonly hasServers: boolean;
}

/** Limits for arguments and results of calls. */
interface CallLimits {
  readonly maxValues?: number | undefined;
  readonly maxModelOutput?: number | undefined;
}

/** A line of `pegboard doctor`. */
export interface FeatureFinding {
  readonly name: string;
  /** `missing` means that the board cannot work without it. */
  readonly status: 'ok' | 'warning' | 'missing';
  readonly detail: string;
}

/** Names and values, for people. */
export type FeatureRows = readonly (readonly [name: string, value: string])[];

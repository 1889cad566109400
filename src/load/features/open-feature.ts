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
  /** Returns tools for the board, each with its source for the lock. */
  tools?(): Awaitable<readonly (Tool | ToolOffer)[]>;
  /** @internal Returns tools of other programs, which get free names. */
  namedTools?(taken: ReadonlySet<string>, list: ToolList): Awaitable<readonly ToolOffer[]>;
  /** @internal Returns the source of a tool that a kind created with its help. */
  originOf?(tool: Tool): ToolOffer | undefined;
  /** @internal Returns texts that the lock pins in addition to the tools of a list. */
  pins?(list: ToolList): Partial<Pick<PinnedTexts, 'instructions' | 'offers' | 'packages' | 'queries'>>;
  /** @internal Compares tools with those that a person approved. Returns the refused ones, each with the reason. */
  gate?(offers: readonly ToolOffer[], list: ToolList): Awaitable<ReadonlyMap<string, string>>;
  /**
   * Adds tools to those that the lock accepts; policies judge them too. `taken` contains the names in use, including those of refused
   * tools.
   */
  equip?(passed: readonly PassedTool[], taken: ReadonlySet<string>, list: ToolList): readonly Tool[];
  /** Returns the tools that callers must not use, each with the reason. People read it; callers only if the refusal allows it. */
  filter?(tools: readonly Tool[], list: ToolList): ReadonlyMap<string, string | Refusal>;
  /** @internal Replaces the description of a tool. */
  describe?(tool: Tool, list: ToolList): string | undefined;
  /** @internal Adds tools to the final list, which no policy hides, and reports duplicate names. */
  complete?(tools: readonly Tool[], files: readonly LoadedFile[]): CompletedTools;
  /** Finds faults in its settings that depend on the tools of the board. Called after each change of the tools. */
  listed?(tools: readonly Tool[], board: ListedBoard): readonly Diagnostic[];
  /** @internal Called before any guard judges a call. */
  judging?(call: GuardRequest): void;
  /** Judges each call by its final arguments, with the current settings. */
  readonly guard?: CallGuard;
  /** @internal Returns false for calls that the guard always allows. Default: true. */
  isGuarded?(tool: Tool, args: unknown): boolean;
  /**
   * Reserves resources for a call after every guard has agreed. Returns an error to refuse the call, or a function that is called once with
   * the outcome.
   */
  readonly reserve?: ReserveCall;
  /** Returns the verdict of a dry run. Asks nobody; reserves and writes nothing. */
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
  /** Prompts and resources for the board. A function receives the prompt names that are already used. */
  readonly offers?: OfferSource | ((taken: ReadonlySet<string>, list: ToolList) => OfferSource) | undefined;
  /** @internal True when its tools may be added or change after the board is open, like those of servers. */
  readonly hasLateTools?: boolean;
  /** @internal Describes what a tool consists of as plain data without secrets: a different description means a different tool. */
  definitionOf?(tool: Tool): unknown;
  /** @internal Returns texts about sources of tools, by source, which searches read in addition to the tools. */
  about?(): ReadonlyMap<string, string>;
  /** @internal Returns true while it may still add this tool, or any tool. */
  mayBring?(wanted?: WantedTool): boolean;
  /** @internal Resolves when a tool that it may add is available or cannot be added; `undefined` when there is nothing to wait for. */
  pending?(wanted: WantedTool, wish: ArrivalWish): Promise<void> | undefined;
  /** @internal Explains why a tool that it may add is not available. */
  explainAbsence?(wanted: WantedTool): Absence | undefined;
  /** @internal Waits for the tools that it may still add; `retry` contacts failed sources again. */
  ready?(retry: boolean): Promise<void>;
  /** @internal Called when the board has started to use it. */
  started?(): void;
  /** Returns false for prompts and resources that callers must not use. */
  allowsOffer?(place: OfferPlace): boolean;
  /** @internal Parts of the board that kinds of tools use. */
  readonly kindHost?: Partial<KindHost>;
  /** @internal Describes these parts as plain data: when it changes, the tools of all entries are created again. */
  readonly kindKey?: unknown;
  /** @internal True when the board must ignore changes that a tool made to its files. */
  readonly protectsFiles?: boolean;
  /** Returns absolute paths of files and folders that define the board: no tool may write them. */
  ownFiles?(list: ToolList): readonly string[];
  /** Returns true when a reload must open it again even if its settings are unchanged. Default: false. */
  isStale?(): boolean;
  /** Absolute paths of files whose change reloads a watched board. */
  watched?(): readonly string[];
  diagnostics?(): readonly Diagnostic[];
  /** Rows of `pegboard status`. */
  status?(): Awaitable<FeatureRows>;
  /** Rows of `pegboard calls show`: its part in a recorded call. */
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

/** The final list of tools, with diagnostics about tools that were dropped for others. */
export interface CompletedTools {
  readonly tools: readonly Tool[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Describes tools that may be added to a board later. */
export interface ListedBoard {
  /** All tools, including those that features hide from callers. */
  readonly all: readonly Tool[];
  /** Returns true when a server that has not answered yet may have a tool that matches a name, pattern or selector. */
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

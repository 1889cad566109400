import type { CodeTarget } from '../../code/code-target.ts';
import type { SearchWords } from '../../discovery/index-source.ts';
import type { ApproveChanges } from '../../guard/lock/compare-pins.ts';
import type { DryVerdict } from '../../guard/approval/guard.ts';
import type { KnowledgeDrivers } from '../../knowledge/plan/knowledge-plan.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import type { CallRecorder } from '../../pipeline/call-recorder.ts';
import type { CallSpans } from '../../pipeline/call-spans.ts';
import type { AfterExecute, BeforeExecute, ToolHook } from '../../pipeline/tool-hooks.ts';
import type { KindHost, ToolEntry } from '../../kinds/kind.ts';
import type { OutputStore } from '../../platform/outputs/output-store.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import type { Ask } from '../../tool/calls/ask.ts';
import type { CallGuard, ReserveCall } from '../../tool/calls/call-bounds.ts';
import type { OfferPlace, OfferSource } from '../../tool/offers.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { BoardMode } from '../board-mode.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { LoadedFile } from '../loaded-file.ts';
import type { FeatureCommand } from './feature-command.ts';
import type { Sections, SettingsOf } from './section.ts';
import type { Refusal, ToolList, ToolOffer } from './tool-list.ts';

type Awaitable<T> = T | Promise<T>;

/** A capability of boards: sections of a board file, and everything it contributes once it is open. */
export interface Feature<Api = unknown, S extends Sections = Sections> {
  readonly name: string;
  readonly sections: S;
  /** Features that are opened before this one. */
  readonly needs: readonly Feature[];
  readonly commands: Readonly<Record<string, FeatureCommand<Api>>>;
  isWanted(given: ReadonlySet<string>): boolean;
  check(settings: SettingsOf<Sections>, context: FeatureCheck): Awaitable<readonly Diagnostic[]>;
  open(settings: SettingsOf<Sections>, host: FeatureHost, before?: OpenFeature<Api>): Awaitable<OpenFeature<Api>>;
  readonly [FEATURE]: true;
}

export interface FeatureDefinition<S extends Sections, Api, N extends readonly Feature[]> {
  /** The name in messages and in `pegboard status`. */
  readonly name: string;
  /** Its top-level keys of a board file. Default: none. */
  readonly sections?: S;
  /** Features that it uses; they are opened first. */
  readonly needs?: N;
  /** Commands of the command line: `pegboard NAME`. */
  readonly commands?: Readonly<Record<string, FeatureCommand<Api>>>;
  /** Returns true when a board needs the feature, given the sections of its files. Default: one of its own is among them. */
  readonly isWanted?: (given: ReadonlySet<string>) => boolean;
  /** Finds faults of its settings. Starts, resolves and writes nothing. */
  readonly check?: (settings: SettingsOf<S>, context: FeatureCheck) => Awaitable<readonly Diagnostic[]>;
  /**
   * Opens the feature, or opens it again with other settings. `before` is the previous one, which is closed when its last call has ended.
   */
  readonly open: (
    settings: SettingsOf<S>,
    host: FeatureHost<N>,
    before?: OpenFeature<Api>,
  ) => Awaitable<OpenFeature<Api>>;
}

/** The contributions of an open feature to the calls and tools of a board. */
export interface OpenFeature<Api = unknown> {
  /** Passed to its commands and to features that need it. */
  readonly api?: Api;
  /** Tools that it puts on the board. */
  tools?(): Awaitable<readonly Tool[]>;
  /** @internal Compares tools with what a person has agreed to. Returns those that must not pass, each with the reason. */
  gate?(offers: readonly ToolOffer[], list: ToolList): Awaitable<ReadonlyMap<string, string>>;
  /**
   * Adds tools to those that the lock accepts; policies judge them too. `taken` contains the names in use, including those of refused
   * tools.
   */
  equip?(passed: readonly PassedTool[], taken: ReadonlySet<string>): readonly Tool[];
  /** Returns the tools that callers must not have, each with the reason. People read it; callers only where the refusal says so. */
  filter?(tools: readonly Tool[], list: ToolList): ReadonlyMap<string, string | Refusal>;
  /** @internal Replaces the description of a tool. */
  describe?(tool: Tool, list: ToolList): string | undefined;
  /** Finds faults of its settings that depend on the tools of the board. Called after each change of the tools. */
  listed?(tools: readonly Tool[], board: ListedBoard): readonly Diagnostic[];
  /** Judges each call by its final arguments, always with the current settings. */
  readonly guard?: CallGuard;
  /** @internal Returns false for a call that the guard need not check. Default: true. */
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
  /** @internal */
  readonly recorder?: CallRecorder;
  /** @internal */
  readonly spans?: CallSpans;
  /** Prompts and resources that it puts on the board. */
  readonly offers?: OfferSource;
  /** False for a prompt or a resource that callers must not have. */
  allowsOffer?(place: OfferPlace): boolean;
  /** @internal Parts of the board that kinds of tools use. */
  readonly kindHost?: Partial<KindHost>;
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
  /** Called when it was replaced and its last call has ended. `close` follows. */
  retire?(): void;
  /** Releases its resources. Also called when a reload fails before the swap. */
  close?(): Awaitable<void>;
}

/** A tool of the board, with its entry in a file; `undefined` for a tool of code or of a server. */
export interface PassedTool {
  readonly tool: Tool;
  readonly entry: ToolEntry | undefined;
}

/** Describes the tools that a board may have later. */
export interface ListedBoard {
  /** Returns true when a server that has not answered yet may have a tool that a name, pattern or selector picks. */
  readonly mayCome: (pick: unknown) => boolean;
  /** True when the board has servers, whose tools may change. */
  readonly hasServers: boolean;
}

/** Options of `openBoard` that single features read. */
export interface FeatureOptions {
  /** `ignore` and `compare` let all tools pass the lock. */
  readonly lock?: 'ignore' | 'compare' | undefined;
  /** Asks a person about tools that differ from the lock. */
  readonly approveChanges?: ApproveChanges | undefined;
}

/** Limits for arguments and results of calls. */
export interface CallLimits {
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

/** The board from the view of its features. */
export interface FeatureHost<N extends readonly Feature[] = readonly Feature[]> {
  /** `look` starts nothing and resolves no secret. */
  readonly mode: BoardMode;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The board's records, shared by all its processes and opened on first use. */
  readonly store: BoardStore;
  /** Aborts when the board is closed. */
  readonly closed: AbortSignal;
  /** Returns the user that a call is made for; empty for the user of the board itself. */
  userOf(context: ToolContext): string;
  /** Removes secrets from a JSON-like value. */
  redact(value: unknown): unknown;
  /** @internal Results that are too large to return. */
  readonly outputs: OutputStore;
  /** @internal Options of `openBoard` that single features read. */
  readonly options: FeatureOptions;
  /** @internal The tools that are on the board now. */
  readonly list: ToolList;
  /** @internal The files of this reading. */
  readonly files: readonly LoadedFile[];
  /** @internal The folder of the board's own file. */
  readonly folder: string;
  /** @internal The folder of the board's data. */
  readonly data: string;
  /** @internal Vector stores and embedders of plugins. */
  readonly drivers: KnowledgeDrivers;
  /** @internal The board itself. Throws before it is ready. */
  board(): StandingBoard;
  /** Asks a person, or the model that the client of a call lends. The board finds who answers from the context of the call. */
  readonly ask: Ask;
  /** @internal The key of the store. */
  storeKey(): Promise<Buffer>;
  /** Calls a tool of the board for the caller of a context, within its rights. */
  call(name: string, args: unknown, options: CallOptions): Promise<ToolResult>;
  /** All prompts and resources of the board. */
  readonly offers: OfferSource;
  /** Returns the API of a feature that it needs. */
  feature<F extends N[number]>(feature: F): ApiOf<F>;
  /** Reports changed tools or filters, so that the board composes its list again. */
  changed(): void;
}

/** The board while its files are checked. */
export interface FeatureCheck {
  /** @internal */
  readonly files: readonly LoadedFile[];
  /** Redacts values from everything that is shown. */
  readonly addSecrets: (secrets: Iterable<string>) => void;
  /** @internal Vector stores and embedders of plugins. */
  readonly drivers: KnowledgeDrivers;
}

/** The board itself, once it stands. */
export interface StandingBoard extends CodeTarget {
  readonly files: readonly LoadedFile[];
  readonly searchWords: SearchWords;
}

/** The API of a feature. */
export type ApiOf<F> = F extends Feature<infer Api> ? Api : never;

/** The same symbol in every copy of this package. */
const FEATURE: unique symbol = Symbol.for('pegboard.feature') as never;

const PARTS: Readonly<Record<keyof FeatureDefinition<Sections, unknown, readonly Feature[]>, true>> = {
  name: true,
  sections: true,
  needs: true,
  commands: true,
  isWanted: true,
  check: true,
  open: true,
};

/**
 * Defines a feature of boards, for `definePlugin({ features })`.
 *
 * @example
 * ```ts
 * const hours = defineFeature({
 *   name: 'office-hours',
 *   sections: { office_hours: section({ schema: z.strictObject({ from: z.int(), to: z.int() }) }) },
 *   open({ office_hours: settings }) {
 *     const { from, to } = settings?.value ?? { from: 0, to: 24 };
 *     const isOpen = () => new Date().getHours() >= from && new Date().getHours() < to;
 *     return {
 *       guard: ({ tool }) =>
 *         isOpen() ? undefined : new ToolError({ code: 'permission_denied', message: `${tool.metadata.name} rests until ${from}:00.` }),
 *     };
 *   },
 * });
 * ```
 */
export function defineFeature<
  const S extends Sections = Sections,
  Api = unknown,
  const N extends readonly Feature[] = readonly [],
>(definition: FeatureDefinition<S, Api, N>): Feature<Api, S> {
  const { name, sections, needs, commands, isWanted, check, open } = definition;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,39}$/.test(name))
    throw misuse(
      `The name of a feature is 1 to 40 of a-z 0-9 -, and begins with a letter; got ${JSON.stringify(name)}.`,
    );
  const stranger = Object.keys(definition).find((key) => !Object.hasOwn(PARTS, key));
  if (stranger !== undefined)
    throw misuse(`The feature "${name}" has a part "${stranger}". Use: ${Object.keys(PARTS).join(', ')}.`);
  if (typeof open !== 'function') throw misuse(`The feature "${name}" needs open(settings, host).`);
  const keys = Object.keys(sections ?? {});
  return {
    name,
    // Without sections S is that of none.
    sections: sections ?? ({} as S),
    needs: needs ?? [],
    commands: commands ?? {},
    isWanted: isWanted ?? ((given) => keys.some((key) => given.has(key))),
    // The board passes the settings of the feature's own sections, and a host that knows its needs.
    check: (settings, context) => check?.(settings as SettingsOf<S>, context) ?? [],
    open: (settings, host, before) => open(settings as SettingsOf<S>, host, before),
    [FEATURE]: true,
  };
}

/** Returns true for a value that `defineFeature` created, in this or another copy of the package. */
export function isFeature(value: unknown): value is Feature {
  return typeof value === 'object' && value !== null && FEATURE in value;
}

function misuse(message: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message });
}

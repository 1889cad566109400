import type { NamedSecret } from '../../guard/secrets/secret-names.ts';
import type { CodeTarget } from '../../code/code-target.ts';
import type { SearchWords } from '../../discovery/index-source.ts';
import type { ApproveChanges } from '../../guard/lock/compare-pins.ts';
import type { SecretLists } from '../../guard/secrets/secret-lists.ts';
import type { StartFailure } from '../../mcp/client/start-failures.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import type { KnowledgeDrivers } from '../../knowledge/plan/knowledge-plan.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import type { OutputStore } from '../../platform/outputs/output-store.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import type { Ask } from '../../tool/calls/ask.ts';
import type { OfferLog, OfferSource } from '../../tool/offers.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { BoardMode } from '../board-mode.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { LoadedFile } from '../loaded-file.ts';
import type { CommandEntry, FeatureCommand } from './feature-command.ts';
import type { Sections, SettingsOf } from './section.ts';
import type { ToolList } from './tool-list.ts';
import type { Awaitable, OpenFeature } from './open-feature.ts';

/** A capability of boards: sections of a board file, and everything it contributes once it is open. */
export interface Feature<Api = unknown, S extends Sections = Sections> {
  readonly name: string;
  readonly sections: S;
  /** Features that are opened before this one. */
  readonly needs: readonly Feature[];
  readonly commands: Readonly<Record<string, FeatureCommand<Api>>>;
  /** @internal */
  readonly builtInCommands: Readonly<Record<string, CommandEntry>>;
  isWanted(given: ReadonlySet<string>): boolean;
  check(settings: SettingsOf<Sections>, context: FeatureCheck): Awaitable<readonly Diagnostic[]>;
  open(settings: SettingsOf<Sections>, host: FeatureHost, before?: OpenFeature<Api>): Awaitable<OpenFeature<Api>>;
  readonly [FEATURE]: true;
}

/** A feature, as its author writes it. */
export interface FeatureDefinition<S extends Sections, Api, N extends readonly Feature[]> {
  /** The name in messages and in `pegboard status`. */
  readonly name: string;
  /** Its top-level keys of a board file. Default: none. */
  readonly sections?: S;
  /** Features that it uses; they are opened first. */
  readonly needs?: N;
  /** Commands of the command line: `pegboard NAME`. */
  readonly commands?: Readonly<Record<string, FeatureCommand<Api>>>;
  /** @internal Commands that come with Pegboard, in the groups of `pegboard --help`. */
  readonly builtInCommands?: Readonly<Record<string, CommandEntry>>;
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

/** Options of `openBoard` that single features read. */
export interface FeatureOptions {
  /** `ignore` and `compare` let all tools pass the lock. */
  readonly lock?: 'ignore' | 'compare' | undefined;
  /** Asks a person about tools that differ from the lock. */
  readonly approveChanges?: ApproveChanges | undefined;
  /** MCP servers that are asked without a call. Default: those of which nothing is known, once the board is open. */
  readonly servers?: 'cached' | 'eager' | undefined;
  readonly eager?: boolean | undefined;
  /** Private hosts that every request may reach. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** An event of a feature that the board passes on. */
export type FeatureEvent =
  | { readonly type: 'server-changed'; readonly server: string }
  | { readonly type: 'server-failed'; readonly server: string; readonly failure: StartFailure }
  | { readonly type: 'resources-changed' }
  | { readonly type: 'logged'; readonly line: OfferLog };

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
  changed(): Promise<void>;
  /** @internal Passes an event on to the listeners of the board. */
  emit(event: FeatureEvent): void;
  /** @internal Identifies the board among those with the same data folder. */
  readonly boardName: string;
  /** @internal The folder in which commands and servers run that name no other. */
  readonly workingFolder: string;
  /** @internal Values that must never be shown. */
  readonly secretLists: SecretLists;
  /** @internal The records of the board, encrypted with its key. */
  sealedStore(): SealedStore;
}

/** The board while its files are checked. */
export interface FeatureCheck {
  /** @internal */
  readonly files: readonly LoadedFile[];
  /** Redacts values from everything that is shown. */
  readonly addSecrets: (secrets: Iterable<string>) => void;
  /** Keeps a value out of everything that is shown. `at` makes a diagnostic about it, where it is too weak for that. */
  readonly addSecret: (
    secret: NamedSecret,
    at: (message: string, severity: Diagnostic['severity']) => Diagnostic,
  ) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which commands and servers run that name no other. */
  readonly workingFolder: string;
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

/** The parts of a definition; those that are false are not for plugins. */
const PARTS: Readonly<Record<keyof FeatureDefinition<Sections, unknown, readonly Feature[]>, boolean>> = {
  name: true,
  sections: true,
  needs: true,
  commands: true,
  builtInCommands: false,
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
  const { name, sections, needs, commands, builtInCommands, isWanted, check, open } = definition;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,39}$/.test(name))
    throw misuse(
      `The name of a feature is 1 to 40 of a-z 0-9 -, and begins with a letter; got ${JSON.stringify(name)}.`,
    );
  const stranger = Object.keys(definition).find((key) => !Object.hasOwn(PARTS, key));
  if (stranger !== undefined) {
    const parts = Object.entries(PARTS).flatMap(([part, isPublic]) => (isPublic ? part : []));
    throw misuse(`The feature "${name}" has a part "${stranger}". Use: ${parts.join(', ')}.`);
  }
  if (typeof open !== 'function') throw misuse(`The feature "${name}" needs open(settings, host).`);
  const keys = Object.keys(sections ?? {});
  return {
    name,
    // Without sections S is that of none.
    sections: sections ?? ({} as S),
    needs: needs ?? [],
    commands: commands ?? {},
    builtInCommands: builtInCommands ?? {},
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

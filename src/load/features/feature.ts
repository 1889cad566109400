import { ToolError } from '../../tool/tool-error.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { LoadedFile } from '../loaded-file.ts';
import type { CommandEntry } from './feature-command.ts';
import type { BoardHost, FeatureCheck } from './feature-host.ts';
import type { Sections, SettingsOf } from './section.ts';
import type { Awaitable, OpenFeature } from './open-feature.ts';

/** A capability of boards: sections of a board file, and its contributions to an open board. */
export interface Feature<Api = unknown, S extends Sections = Sections> {
  readonly name: string;
  readonly sections: S;
  /** Features to open before this one. */
  readonly needs: readonly Feature[];
  readonly commands: Readonly<Record<string, CommandEntry>>;
  isWanted(given: ReadonlySet<string>): boolean;
  /** @internal Returns files with further tools that its settings refer to. */
  files(settings: SettingsOf<Sections>, context: Pick<FeatureCheck, 'cwd' | 'env'>): Awaitable<readonly LoadedFile[]>;
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
  readonly commands?: Readonly<Record<string, CommandEntry>>;
  /** Returns true when a board needs the feature, given the sections of its files. Default: when the files contain one of its sections. */
  readonly isWanted?: (given: ReadonlySet<string>) => boolean;
  /** @internal Returns files with further tools that its settings refer to. Default: none. */
  readonly files?: (
    settings: SettingsOf<S>,
    context: Pick<FeatureCheck, 'cwd' | 'env'>,
  ) => Awaitable<readonly LoadedFile[]>;
  /** Finds faults in its settings. Starts, resolves and writes nothing. */
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

/** The board from the view of a feature that needs others. */
export interface FeatureHost<N extends readonly Feature[] = readonly Feature[]> extends BoardHost {
  /** Returns the API of a feature that it needs. */
  feature<F extends N[number]>(feature: F): ApiOf<F>;
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
  isWanted: true,
  files: false,
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
  const { name, sections, needs, commands = {}, isWanted, files, check, open } = definition;
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
  const broken = Object.entries(commands).find(([, entry]) => typeof entry?.load !== 'function');
  if (broken !== undefined)
    throw misuse(`The command "${broken[0]}" of the feature "${name}" needs { summary, load }.`);
  const keys = Object.keys(sections ?? {});
  return {
    name,
    // Without `sections`, S is the type of no sections.
    sections: sections ?? ({} as S),
    needs: needs ?? [],
    commands,
    isWanted: isWanted ?? ((given) => keys.some((key) => given.has(key))),
    // The board passes the settings of the feature's own sections, and a host for the features that it needs.
    files: (settings, context) => files?.(settings as SettingsOf<S>, context) ?? [],
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

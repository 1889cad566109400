import { isDeepStrictEqual } from 'node:util';
import { ConfigError, type Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { FeatureCheck } from '../../load/features/feature-host.ts';
import type { ApiOf, Feature, FeatureHost } from '../../load/features/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import { mergeSections, type Placed, type Sections, type SettingsOf } from '../../load/features/section.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { inTime, openInTime } from './bound-feature.ts';

/** A feature of a board, open with the settings of one reading. */
export interface OpenedFeature {
  readonly feature: Feature;
  readonly open: OpenFeature;
  /** The values of its sections: the feature is opened again when they change. */
  readonly values: unknown;
  readonly needs: readonly OpenedFeature[];
  readonly isBuiltIn: boolean;
  /** Its settings with their places in the latest reading of the files. */
  settings: SettingsOf<Sections>;
}

/** A reading of the files, as features see it. */
export interface FeatureReading {
  /** The built-in features. */
  readonly builtIn: readonly Feature[];
  /** The features of plugins. They come last and must not hang: they can only restrict. */
  readonly plugged: readonly Feature[];
  readonly files: readonly LoadedFile[];
  readonly cwd: string;
}

/** A board from the view of the features of one reading. */
export interface FeatureBoard {
  /** Values that every feature may depend on: features are opened again when they change. */
  readonly key: unknown;
  /** Creates the host of a feature, which finds the features that it needs through `feature`. */
  hostFor(feature: FeatureHost['feature']): FeatureHost;
}

/** Opens the features that the files of a board need, and closes unused ones. */
export class BoardFeatures {
  readonly #opened = new Set<OpenedFeature>();
  #latest: readonly OpenedFeature[] = [];
  /** Features that the last `open` opened and no board uses yet. */
  #fresh: readonly OpenedFeature[] = [];

  /** Returns the files that the settings of features refer to. */
  async files(reading: FeatureReading, context: Pick<FeatureCheck, 'cwd' | 'env'>): Promise<LoadedFile[]> {
    const { files, cwd } = reading;
    const found: LoadedFile[] = [];
    for (const feature of wantedFeatures(reading))
      found.push(...(await feature.files(mergeSections(feature.sections, files, cwd), context)));
    return found;
  }

  /** Finds faults in the settings of features; starts nothing. */
  async check(reading: FeatureReading, context: FeatureCheck): Promise<Diagnostic[]> {
    const { files, cwd } = reading;
    const found = await Promise.all(
      wantedFeatures(reading).map(async (feature) =>
        inTime(feature, 'check', feature.check(mergeSections(feature.sections, files, cwd), context)),
      ),
    );
    return found.flat();
  }

  /** Opens the features that a reading needs, in dependency order. Features with unchanged settings stay as they are. */
  async open(reading: FeatureReading, board: FeatureBoard): Promise<readonly OpenedFeature[]> {
    const { builtIn, files, cwd } = reading;
    const opened = new Map<Feature, OpenedFeature>();
    const fresh: OpenedFeature[] = [];
    try {
      for (const feature of wantedFeatures(reading)) {
        const needs = feature.needs.flatMap((needed) => opened.get(needed) ?? []);
        const settings = mergeSections(feature.sections, files, cwd);
        const host = board.hostFor((wanted) => apiOf(wanted, needs));
        const values = [toValues(settings), board.key];
        const before = this.#latest.find((one) => one.feature === feature);
        const isSame =
          before !== undefined &&
          before.open.isStale?.() !== true &&
          isDeepStrictEqual(before.values, values) &&
          before.needs.every((one, index) => one === needs[index]);
        const made = { feature, values, needs, settings, isBuiltIn: builtIn.includes(feature) };
        const next = isSame ? before : await openOne(made, host, before?.open);
        next.settings = settings;
        opened.set(feature, next);
        this.#opened.add(next);
        if (!isSame) fresh.push(next);
      }
    } catch (thrown) {
      await this.#closeAll(fresh);
      throw thrown;
    }
    this.#fresh = fresh;
    return [...opened.values()];
  }

  /** Marks the features of a reading as used by the board: the next reading continues them. */
  use(features: readonly OpenedFeature[]): void {
    this.#latest = features;
    this.#fresh = [];
  }

  /** Closes the features that were opened for a reading that failed. */
  async abandon(): Promise<void> {
    await this.#closeAll(this.#fresh);
    this.#fresh = [];
  }

  /** Closes features that none of these readings has. */
  async keepOnly(readings: readonly (readonly OpenedFeature[])[]): Promise<void> {
    const used = new Set([...readings.flat(), ...this.#latest]);
    await this.#closeAll([...this.#opened].filter((one) => !used.has(one)));
  }

  /** Ends the connections of all features; running calls can still finish. */
  async retire(): Promise<void> {
    await Promise.all([...this.#opened].map(async ({ open }) => open.retire?.(true)));
  }

  async close(): Promise<void> {
    this.#latest = [];
    await this.#closeAll([...this.#opened]);
  }

  /** Closes features, dependents first. */
  async #closeAll(features: readonly OpenedFeature[]): Promise<void> {
    for (const one of features) this.#opened.delete(one);
    const stays = new Set([...this.#opened].flatMap(({ open }) => [open, open.api]));
    for (const { open } of features.toReversed()) {
      // A feature may have passed itself on to its next settings.
      if (stays.has(open) || (open.api !== undefined && stays.has(open.api))) continue;
      stays.add(open);
      await open.retire?.(false);
      await open.close?.();
    }
  }
}

/** Returns the features that the files need with their dependencies, each after those it depends on. */
function wantedFeatures({ builtIn, plugged, files }: FeatureReading): Feature[] {
  const given = new Set(files.flatMap(({ sections }) => Object.keys(sections)));
  const wanted = new Set<Feature>();
  const add = (feature: Feature): void => {
    if (wanted.has(feature)) return;
    for (const needed of feature.needs) add(needed);
    wanted.add(feature);
  };
  for (const feature of [...builtIn, ...plugged]) if (feature.isWanted(given)) add(feature);
  return [...wanted];
}

/** Wraps settings so that their places are always those of the latest reading. */
function toLive(settings: SettingsOf<Sections>, latest: () => SettingsOf<Sections>): SettingsOf<Sections> {
  const live = (value: unknown, find: () => Placed<unknown>): Placed<unknown> => ({
    value,
    at: (...place) => find().at(...place),
    folder: (path) => find().folder(path),
    others: (path) => find().others(path),
    source: (path) => find().source(path),
  });
  const entries = Object.entries(settings).map(([key, placed]) => {
    // A section always has either a list of values or a single value.
    if (Array.isArray(placed))
      return [
        key,
        placed.map(({ value }, index) =>
          live(value, () => (latest()[key] as Placed<unknown>[])[index] as Placed<unknown>),
        ),
      ];
    const one = placed as Placed<unknown> | undefined;
    return [key, one && live(one.value, () => latest()[key] as Placed<unknown>)];
  });
  return Object.fromEntries(entries);
}

function toValues(settings: SettingsOf<Sections>): unknown {
  const valueOf = (one: Placed<unknown>): unknown => [one.value, one.folder()];
  return Object.entries(settings).map(([key, placed]) => [
    key,
    Array.isArray(placed) ? placed.map(valueOf) : placed && valueOf(placed as Placed<unknown>),
  ]);
}

async function openOne(
  made: Omit<OpenedFeature, 'open'>,
  host: FeatureHost,
  before: OpenFeature | undefined,
): Promise<OpenedFeature> {
  const { feature, isBuiltIn } = made;
  // Diagnostics have the places of the latest reading, even if the values are unchanged.
  const opened: OpenedFeature = { ...made, open: {} };
  try {
    const opening = feature.open(
      toLive(made.settings, () => opened.settings),
      host,
      before,
    );
    return Object.assign(opened, { open: isBuiltIn ? await opening : await openInTime(feature, opening) });
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw thrown;
    throw new Error(`the feature "${feature.name}" cannot be opened: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function apiOf<F extends Feature>(wanted: F, needs: readonly OpenedFeature[]): ApiOf<F> {
  const found = needs.find(({ feature }) => feature === wanted);
  if (found === undefined) throw new Error(`it uses the feature "${wanted.name}" without naming it under needs`);
  // The feature was opened by its own definition.
  return found.open.api as ApiOf<F>;
}

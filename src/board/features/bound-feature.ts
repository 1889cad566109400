import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { Feature } from '../../load/features/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Milliseconds that a part of a plugin's feature may take. */
const PATIENCE = 30_000;

/** Parts whose failure fails the reading or the list of tools, because nothing may pass without their verdict. */
const STRICT: ReadonlySet<unknown> = new Set([
  'tools',
  'gate',
  'equip',
  'filter',
  'listed',
  'foresee',
  'isStale',
  // Files that it failed to name would be unprotected.
  'ownFiles',
] satisfies (keyof OpenFeature)[]);

/** Results of parts whose failure must not stop the board; each receives the error message. */
const LENIENT: { readonly [K in keyof OpenFeature]?: (message: string) => unknown } = {
  pending: () => undefined,
  ready: () => undefined,
  started: () => undefined,
  explainAbsence: () => undefined,
  mayBring: () => false,
  // A resource that the feature cannot judge is refused.
  allowsOffer: () => false,
  watched: () => [],
  diagnostics: () => [],
  status: (message) => [['error', message]],
  explain: (message) => [['error', message]],
  doctor: (message) => [{ name: 'feature', status: 'warning', detail: message }],
  retire: () => undefined,
  close: () => undefined,
};

const bound = new WeakSet<OpenFeature>();

/** Waits at most 30 seconds for a part of a feature. The error names both. */
export async function inTime<T>({ name }: Feature, part: string, work: T | Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`the feature "${name}" did not finish ${part}() within ${PATIENCE / 1000} s`)),
    PATIENCE,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Opens a feature of a plugin within a time limit; one that opens too late is closed. */
export async function openInTime(feature: Feature, opening: OpenFeature | Promise<OpenFeature>): Promise<OpenFeature> {
  try {
    return boundFeature(feature, await inTime(feature, 'open', opening));
  } catch (thrown) {
    void Promise.resolve(opening).then(
      (late) => late.close?.(),
      () => {},
    );
    throw thrown;
  }
}

/** Wraps an open feature of a plugin: a part that throws or never answers must not stop a board, and is reported. */
function boundFeature(feature: Feature, open: OpenFeature): OpenFeature {
  // A feature may pass itself on to its next settings.
  if (bound.has(open)) return open;
  const failures = new Map<unknown, Diagnostic>();
  const fail = (part: string, thrown: unknown): Error => {
    const reason = messageOf(thrown);
    const known = `the feature "${feature.name}" `;
    const message = reason.startsWith(known) ? `${reason}.` : `${known}failed in ${part}(): ${reason}`;
    failures.set(part, { severity: 'warning', file: `feature ${feature.name}`, path: [], message });
    return new Error(message, { cause: thrown });
  };
  const run = (part: string, work: () => unknown): unknown => {
    const lenient = LENIENT[part as keyof OpenFeature];
    const settle = (thrown: unknown): unknown => {
      const error = fail(part, thrown);
      if (lenient === undefined) throw error;
      return lenient(error.message);
    };
    try {
      const result = work();
      return result instanceof Promise ? inTime(feature, part, result).catch(settle) : result;
    } catch (thrown) {
      return settle(thrown);
    }
  };
  const made = new Proxy(open, {
    get(target, part) {
      const value: unknown = Reflect.get(target, part);
      if (part === 'diagnostics')
        return () => {
          // This part returns only a list of diagnostics.
          const own =
            typeof value === 'function' ? (run(part, () => Reflect.apply(value, target, [])) as Diagnostic[]) : [];
          return [...own, ...failures.values()];
        };
      if (typeof value !== 'function' || typeof part !== 'string' || !(STRICT.has(part) || part in LENIENT))
        return value;
      return (...given: unknown[]) => run(part, () => Reflect.apply(value, target, given));
    },
  });
  bound.add(made);
  return made;
}

import { isDeepStrictEqual } from 'node:util';
import { Redactor } from '../../guard/secrets/redactor.ts';
import { revealHidden } from '../../tool/texts/reveal-hidden.ts';
import { consentName, lockName } from './consent.ts';
import type { GuardedPart } from './guarded-parts.ts';
import type { LookedFiles } from './look-at-files.ts';

/** The most characters of a value that are shown. */
const MAX_VALUE = 300;

/** The lines about calls that a person approved for good. */
const APPROVED = 'policy.approved';

/** Describes the guarded differences between two readings for the person who judges them: one text for each. */
export function compareParts(before: LookedFiles, next: LookedFiles, consents: ReadonlySet<string>): string[] {
  const redactor = new Redactor([...before.secrets, ...next.secrets]);
  const [old, now] = [before.guarded.parts, next.guarded.parts];
  const show = createShow(redactor);
  const wholesBefore = wholesOf(old.values());
  const wholesNow = wholesOf(now.values());
  const changes: string[] = [];
  for (const [key, whole] of wholesNow) {
    if (wholesBefore.has(key)) continue;
    const parts = [...now.values()].filter((part) => part.whole?.key === key);
    const facts = parts.map((part) => show.fact(part, whole));
    changes.push(`${whole} (${parts[0]?.where ?? ''}) is new: ${facts.join(', ')}`);
  }
  for (const part of now.values()) {
    const known = old.get(part.key);
    const isNewWhole = part.whole !== undefined && !wholesBefore.has(part.whole.key);
    if (isNewWhole || isSame(known, part) || isConsented(known, part, consents)) continue;
    changes.push(known === undefined ? show.added(part) : show.changed(known, part));
  }
  for (const part of old.values()) {
    const goesWithWhole = part.whole !== undefined && !wholesNow.has(part.whole.key);
    if (!now.has(part.key) && !goesWithWhole && !part.mayGo) changes.push(show.gone(part));
  }
  const isLockKnown = consents.has(lockName(next.lock.hash));
  if (before.lock.hash !== next.lock.hash && !isLockKnown) {
    const what = next.lock.hash === 'none' ? 'was removed' : before.lock.hash === 'none' ? 'is new' : 'was changed';
    changes.push(`${next.lock.shown} ${what}, and not by pegboard lock`);
  }
  const [filesBefore, filesNow] = [before.guarded.files, next.guarded.files];
  const isReordered =
    isDeepStrictEqual(filesBefore.toSorted(), filesNow.toSorted()) && !isDeepStrictEqual(filesBefore, filesNow);
  if (isReordered)
    changes.push(`later files win, and their order changed from ${filesBefore.join(', ')} to ${filesNow.join(', ')}`);
  return changes.map((text) => revealHidden(redactor.text(text)).replaceAll('\n', String.raw`\n`));
}

function wholesOf(parts: Iterable<GuardedPart>): Map<string, string> {
  return new Map([...parts].flatMap(({ whole }) => (whole === undefined ? [] : [[whole.key, whole.label] as const])));
}

function isSame(one: GuardedPart | undefined, other: GuardedPart): boolean {
  return one !== undefined && isDeepStrictEqual([one.value, one.uses], [other.value, other.uses]);
}

/** Returns true when only lines were added that Pegboard wrote after a person approved calls for good. */
function isConsented(
  before: GuardedPart | undefined,
  { label, value }: GuardedPart,
  consents: ReadonlySet<string>,
): boolean {
  if (label !== APPROVED || !Array.isArray(value)) return false;
  const known = Array.isArray(before?.value) ? before.value : [];
  const isKept = known.every((line) => value.some((one) => isDeepStrictEqual(one, line)));
  const added = value.filter((line) => !known.some((one) => isDeepStrictEqual(one, line)));
  return isKept && added.every((line) => consents.has(consentName('approved', line)));
}

/** Returns the names of all that these files have of what Pegboard may have written with the consent of a person. */
export function consentNames({ lock, guarded }: LookedFiles): string[] {
  const lists = [...guarded.parts.values()].flatMap(({ label, value }) => (label === APPROVED ? [value] : []));
  return [
    lockName(lock.hash),
    ...lists.flatMap((value) => (Array.isArray(value) ? value.map((line) => consentName('approved', line)) : [])),
  ];
}

interface Show {
  added(part: GuardedPart): string;
  changed(before: GuardedPart, part: GuardedPart): string;
  gone(part: GuardedPart): string;
  /** The part as one of those of a whole that is new. */
  fact(part: GuardedPart, whole: string): string;
}

function createShow(redactor: Redactor): Show {
  const write = (value: unknown): string => {
    // Redacted before formatting: quoting may change the spelling of a secret.
    const text = JSON.stringify(redactor.data(value)) ?? 'nothing';
    return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}… (${text.length} characters)` : text;
  };
  return {
    added: ({ label, where, value, isHidden }) => `${label} (${where}) is new${isHidden ? '' : `: ${write(value)}`}`,
    changed: (before, { label, where, value, uses, isHidden }) => {
      if (!isDeepStrictEqual(before.value, value))
        return `${label} (${where}) changed${isHidden ? '' : ` from ${write(before.value)} to ${write(value)}`}`;
      const names = Object.keys(uses).filter((name) => uses[name] !== before.uses[name]);
      return `${label} (${where}) changed through ${names.map((name) => `\${${name}}`).join(', ')}`;
    },
    gone: ({ label, where, value, isHidden }) =>
      `${label} (${where}) is gone${isHidden ? '' : `; it was ${write(value)}`}`,
    fact: ({ label, value, isHidden }, whole) => {
      const name = label.startsWith(whole) ? label.slice(whole.length).replace(/^\./, '') : label;
      return isHidden ? name : `${name} ${write(value)}`;
    },
  };
}

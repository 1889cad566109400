import { nearestNames } from '../../tool/texts/suggest.ts';
import type { EntryFault } from '../kind.ts';
import type { CliSettings } from './cli-settings.ts';

/** The most arguments that a message lists. */
const MAX_NAMED = 12;
const GROUP_KEYS = ['exclusive', 'together', 'one_of'];

/** Finds groups written as one flat list, and shows the right form. */
export function explainGroups(written: Readonly<Record<string, unknown>>): EntryFault[] {
  return GROUP_KEYS.flatMap((key): EntryFault[] => {
    const value = written[key];
    if (!Array.isArray(value) || value.length === 0) return [];
    const names = value.filter((name) => typeof name === 'string');
    if (names.length < value.length) return [];
    return [{ path: [key], message: `is a list of groups, each a list of its own: write [[${names.join(', ')}]].` }];
  });
}

/** Finds groups with unknown names, with arguments that a default always fills, or that required arguments decide. */
export function findGroupFaults({ args, groups }: CliSettings): EntryFault[] {
  if (groups === undefined) return [];
  const known = new Map(args.map((arg) => [arg.name, arg]));
  const all = { exclusive: groups.exclusive, together: groups.together, one_of: groups.oneOf };
  return Object.entries(all).flatMap(([key, lists]) =>
    lists.flatMap((names, index) => {
      const faults = names.flatMap((name): EntryFault[] => {
        const arg = known.get(name);
        if (arg === undefined) return [{ path: [key, index], message: explainUnknown(name, [...known.keys()]) }];
        if (arg.default === undefined) return [];
        return [
          { path: [key, index], message: `"${name}" has a default, so every call gives it. Remove the default.` },
        ];
      });
      if (faults.length > 0) return faults;
      const required = names.filter((name) => known.get(name)?.required === true);
      const told = required.length === 0 ? undefined : explainRequired(key, names, required);
      return told === undefined ? [] : [{ ...told, path: [key, index] }];
    }),
  );
}

function explainUnknown(name: string, known: readonly string[]): string {
  const [nearest] = nearestNames(name, known, 1);
  const hint =
    nearest === undefined
      ? `Use one of: ${known.slice(0, MAX_NAMED).join(', ')}${known.length > MAX_NAMED ? ', …' : ''}.`
      : `Did you mean "${nearest}"?`;
  return `there is no argument "${name}". ${known.length === 0 ? 'The tool has none.' : hint}`;
}

/** Explains the effect of required arguments on their group. */
function explainRequired(
  key: string,
  names: readonly string[],
  required: readonly string[],
): Omit<EntryFault, 'path'> | undefined {
  const list = (all: readonly string[], word: string): string => all.map((name) => `"${name}"`).join(` ${word} `);
  const remedy = 'Remove required, or the group.';
  const are = required.length === 1 ? 'is' : 'are';
  if (key === 'exclusive' && required.length > 1) {
    return {
      message: `${list(required, 'and')} are required, and a call may give only one: every call fails. ${remedy}`,
    };
  }
  const others = names.filter((name) => !required.includes(name));
  if (key === 'exclusive') {
    const message = `${list(required, 'and')} is required, so no call can give ${list(others, 'or')}. To require one of them, remove required and add one_of.`;
    return { message, severity: 'warning' };
  }
  if (key === 'one_of') {
    return {
      message: `${list(required, 'and')} ${are} required, so every call gives one. ${remedy}`,
      severity: 'warning',
    };
  }
  if (others.length === 0) return undefined;
  const message = `${list(required, 'and')} ${are} required, so every call has to give ${list(others, 'and')}. Make them required too.`;
  return { message, severity: 'warning' };
}

import type { LockChange } from '../../guard/lock/compare-pins.ts';

const MAX_LINES = 20;
const MAX_LINE = 300;

/** Describes a change for people: in full, or in a few lines if `seeAll` names the command that shows the rest. */
export function describeChange({ type, name, previous, origin, lines }: LockChange, seeAll?: string): string {
  const what = {
    added: `${JSON.stringify(name)} (${origin}) is new`,
    removed: `${JSON.stringify(name)} (${origin}) is gone`,
    changed: `${JSON.stringify(name)} (${origin}) changed`,
    renamed: `${JSON.stringify(previous)} (${origin}) is called ${JSON.stringify(name)} now`,
  }[type];
  const all = type === 'renamed' ? [] : lines;
  const shown = seeAll === undefined ? all : toBrief(all, seeAll);
  return [`${what}${shown.length === 0 ? '.' : ':'}`, ...shown.map((line) => `  ${line}`)].join('\n');
}

function toBrief(lines: readonly string[], seeAll: string): string[] {
  const brief = lines
    .slice(0, MAX_LINES)
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line));
  const isWhole = lines.length <= MAX_LINES && lines.every((line) => line.length <= MAX_LINE);
  return isWhole ? brief : [...brief, `Not all of it is shown here. See it with: ${seeAll}`];
}

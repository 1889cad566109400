/** Tests a document's source path against a filter's `sourcePath`. */
export type PathMatcher = (path: string | undefined) => boolean;

/** Compiles a filter's `sourcePath`: a path, a folder (`docs/`), or a pattern with `*`, `**` and `?`. */
export function readPathFilter(pattern: string): PathMatcher {
  if (isPattern(pattern)) {
    const steps = readSteps(pattern);
    if (steps.filter(({ type }) => type === 'any' || type === 'star').length <= FEW) {
      const expression = new RegExp(toExpressionSource(pattern), 'su');
      return (path) => path !== undefined && expression.test(path);
    }
    return (path) => path !== undefined && matches(steps, path);
  }
  if (pattern.endsWith('/')) return (path) => path?.startsWith(pattern) === true;
  return (path) => path === pattern;
}

export function isPattern(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** Returns the beginning that all matching paths share. */
export function fixedPrefix(pattern: string): string {
  return /^[^*?]*/.exec(pattern)?.[0] ?? '';
}

/** Converts a pattern to a regular expression for both JavaScript and PostgreSQL. */
export function toExpressionSource(pattern: string): string {
  return `^${readSteps(pattern).map(toExpression).join('')}$`;
}

/** With this few wildcards a regular expression is faster and cannot take long. */
const FEW = 2;

type Step = { readonly type: 'star' | 'any' | 'one' } | { readonly type: 'is'; readonly character: string };

function readSteps(pattern: string): Step[] {
  // `**/` also matches no folder at all, so docs/**/a.md matches docs/a.md.
  const parts = pattern.match(/\*\*\/?|\*|\?|[^*?]/gu) ?? [];
  return parts.map((part) => {
    if (part.startsWith('**')) return { type: 'any' };
    if (part === '*') return { type: 'star' };
    return part === '?' ? { type: 'one' } : { type: 'is', character: part };
  });
}

function toExpression(step: Step): string {
  if (step.type === 'is') return step.character.replaceAll(/[\\^$.|?*+()[\]{}/]/g, String.raw`\$&`);
  if (step.type === 'any') return '.*';
  return step.type === 'star' ? '[^/]*' : '[^/]';
}

/** Tracks all possible matches at once, so the time is bounded by path × pattern. */
function matches(steps: readonly Step[], path: string): boolean {
  let states = withSkips(steps, new Set([0]));
  for (const character of path) {
    const next = new Set<number>();
    for (const place of states) {
      const step = steps[place];
      if (step === undefined) continue;
      if (step.type === 'any' || (step.type === 'star' && character !== '/')) next.add(place);
      else if (step.type === 'one' ? character !== '/' : step.type === 'is' && step.character === character) {
        next.add(place + 1);
      }
    }
    if (next.size === 0) return false;
    states = withSkips(steps, next);
  }
  return states.has(steps.length);
}

function withSkips(steps: readonly Step[], states: Set<number>): Set<number> {
  for (const place of states) {
    const type = steps[place]?.type;
    if (type === 'any' || type === 'star') states.add(place + 1);
  }
  return states;
}

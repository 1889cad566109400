/** The rules of a site for programs. */
export interface Robots {
  /** Returns true if a path, with its query, may be fetched. */
  isAllowed(path: string): boolean;
  /** Milliseconds between two requests. */
  readonly delay: number;
}

interface Rule {
  readonly path: string;
  readonly isAllowed: boolean;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  delay: number | undefined;
}

const AGENT = 'pegboard';
const MAX_RULES = 5_000;
/** The longest delay: a run must come to an end. */
const LONGEST_DELAY = 10_000;

/** Allows everything, for sites without rules. */
export const NO_RULES: Robots = { isAllowed: () => true, delay: 0 };

/** Parses a robots.txt by RFC 9309: the group for Pegboard, or else the one for all; the longest rule decides. */
export function parseRobots(text: string): Robots {
  const groups = readGroups(text);
  const own = groups.filter(({ agents }) => agents.includes(AGENT));
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'));
  const rules = chosen.flatMap((group) => group.rules).toSorted((a, b) => b.path.length - a.path.length);
  const delay = chosen.find((group) => group.delay !== undefined)?.delay ?? 0;
  return {
    isAllowed: (path) => {
      const first = rules.find((rule) => isMatch(rule.path, path));
      if (first === undefined || first.isAllowed) return true;
      return rules.some((rule) => rule.isAllowed && rule.path.length === first.path.length && isMatch(rule.path, path));
    },
    delay: Math.min(LONGEST_DELAY, delay * 1000),
  };
}

function readGroups(text: string): Group[] {
  const groups: Group[] = [];
  let group: Group | undefined;
  let count = 0;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n?|\n/)) {
    const content = line.split('#', 1)[0] ?? '';
    const colon = content.indexOf(':');
    if (colon === -1 || ++count > MAX_RULES) continue;
    const key = content.slice(0, colon).trim().toLowerCase();
    const value = content.slice(colon + 1).trim();
    if (key === 'user-agent') {
      const agent = value.toLowerCase().split('/', 1)[0] ?? '';
      const isNew = group === undefined || group.rules.length > 0 || group.delay !== undefined;
      if (isNew) groups.push((group = { agents: [], rules: [], delay: undefined }));
      group?.agents.push(agent);
    } else if ((key === 'allow' || key === 'disallow') && value !== '') {
      const url = URL.parse(value, 'http://site');
      if (url !== null) group?.rules.push({ path: url.pathname + url.search, isAllowed: key === 'allow' });
    } else if (key === 'crawl-delay' && group !== undefined && Number(value) > 0) {
      group.delay = Number(value);
    }
  }
  return groups;
}

/** Matches a rule: `*` stands for anything, a trailing `$` for the end. The time is bounded by the length of both. */
function isMatch(rule: string, path: string): boolean {
  const isWhole = rule.endsWith('$');
  const [first = '', ...parts] = (isWhole ? rule.slice(0, -1) : rule).split('*');
  if (!path.startsWith(first)) return false;
  if (parts.length === 0) return !isWhole || path === first;
  let at = first.length;
  const last = parts.pop() ?? '';
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return isWhole ? path.length - last.length >= at && path.endsWith(last) : path.includes(last, at);
}

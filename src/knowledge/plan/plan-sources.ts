import { DOCUMENT_TYPES } from '../collection/note.ts';
import type { CommonSource, GitSource, PlannedSource, WebSource } from '../sources/source.ts';
import type { SettingsFault } from './knowledge-plan.ts';
import type { GitSourceSettings, SourceSettings, WebSourceSettings } from './knowledge-settings.ts';

const REF = /^(?!.*(?:\.\.|\/\/|@\{|\.lock$|\.$))[A-Za-z0-9_][\w./+@-]{0,200}$/;
const FILE = /\.[A-Za-z0-9]{1,8}$/;
const SCP = /^[\w.-]+@[\w.-]+:(?!\/\/)/;

export function planSources(
  sources: readonly SourceSettings[] = [],
  { path, faults }: { readonly path: readonly string[]; readonly faults: SettingsFault[] },
): PlannedSource[] {
  return sources.flatMap((source, place) => {
    const at = [...path, 'sources', place];
    const planned = 'git' in source ? planGit(source) : planWeb(source);
    const type = source.type ?? 'general';
    const isKnown = DOCUMENT_TYPES.some((known) => known === type);
    const unknown = `unknown type "${type.slice(0, 40)}". Use one of: ${DOCUMENT_TYPES.join(', ')}.`;
    const fault = 'message' in planned ? planned : isKnown ? undefined : { key: 'type', message: unknown };
    if (fault !== undefined) faults.push({ path: [...at, fault.key], message: fault.message });
    return 'message' in planned ? [] : [planned];
  });
}

interface Fault {
  readonly key: string;
  readonly message: string;
}

function planWeb(source: WebSourceSettings): WebSource | Fault {
  const url = URL.parse(source.url);
  if (url === null || !/^https?:$/.test(url.protocol))
    return { key: 'url', message: `"${source.url.slice(0, 80)}" is not an address. Use one with http: or https:.` };
  if (url.username !== '' || url.password !== '') return { key: 'url', message: CREDENTIALS };
  url.hash = '';
  const { depth = 0 } = source;
  const isSitemap = /\.xml(?:\.gz)?$/i.test(url.pathname);
  const isTree = isSitemap || depth > 0;
  const folder = FILE.test(url.pathname) ? url.pathname.replace(/[^/]*$/, '') : url.pathname.replace(/\/?$/, '/');
  return {
    kind: 'web',
    ...common(source),
    name: url.href,
    url: url.href,
    scope: { start: url.href, ...(isTree ? { below: url.origin + folder } : {}) },
    isSitemap,
    depth,
    maxPages: source.max_pages ?? 500,
    maxBytes: source.max_bytes ?? 100_000_000,
  };
}

function planGit(source: GitSourceSettings): GitSource | Fault {
  const written = source.git.trim();
  const isScp = SCP.test(written);
  const url = isScp || !/^[a-z][a-z0-9+.-]*:/i.test(written) ? null : URL.parse(written);
  const isLocal = !isScp && (url === null || url.protocol === 'file:');
  if (written === '' || written.startsWith('-') || /[\0\n]|::/.test(written))
    return { key: 'git', message: `"${written.slice(0, 80)}" is not a repository. ${USE_GIT}` };
  if (url !== null && !/^(?:https?|ssh|file):$/.test(url.protocol))
    return { key: 'git', message: `The protocol "${url.protocol}" is not allowed. ${USE_GIT}` };
  if (url !== null && (url.password !== '' || (url.protocol !== 'ssh:' && url.username !== '')))
    return { key: 'git', message: CREDENTIALS };
  if (source.ref !== undefined && !REF.test(source.ref)) {
    const message = `"${source.ref.slice(0, 80)}" is not a revision. Use a branch, a tag or a full commit hash.`;
    return { key: 'ref', message };
  }
  const path = (source.path ?? '').replaceAll(/^[./]+(?=\/|$)|^\/+|\/+$/g, '').replace(/^\/+/, '');
  if (/(?:^|\/)\.\.(?:\/|$)|[\0\n]/.test(path))
    return { key: 'path', message: 'The path leads out of the repository.' };
  const repository = url?.protocol === 'file:' ? decodeURIComponent(url.pathname) : written;
  const place = isScp ? `ssh://${written.replace(':', '/')}` : isLocal ? `file://${repository}` : written;
  const root = `git+${place.replace(/\/+$/, '')}${source.ref === undefined ? '' : `@${source.ref}`}/`;
  return {
    kind: 'git',
    ...common(source),
    name: `${written}${source.ref === undefined ? '' : ` at ${source.ref}`}`,
    repository,
    isLocal,
    ref: source.ref,
    path,
    scope: { start: root + path, below: path === '' ? root : `${root}${path}/` },
    maxBytes: source.max_bytes ?? 500_000_000,
  };
}

const CREDENTIALS =
  'A name or password in the address would be stored with every passage. Use headers: { authorization: … }.';
const USE_GIT = 'Use https://, ssh://, user@host:path, or a path of this machine.';

function common({
  type,
  tags,
  exclude,
  headers,
  allow_hosts: allowHosts,
}: SourceSettings): Omit<CommonSource, 'name' | 'scope'> {
  return {
    type: type ?? 'general',
    tags: tags ?? [],
    exclude: exclude ?? [],
    // In lower case, so that a header replaces a default one.
    headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
    allowHosts: allowHosts ?? [],
  };
}

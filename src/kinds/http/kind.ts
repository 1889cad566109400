import type { z } from 'zod';
import { isPlainObject } from '../../tool/json.ts';
import { isSecretName } from '../../guard/secrets/secret-names.ts';
import { defineKind, loadOnce } from '../define-kind.ts';
import type { DescribedLine, EntryFault } from '../kind.ts';
import { KIND_SCHEMAS } from '../schema.generated.ts';
import { describeAuth, headerOf, toClient } from './auth/api-auth.ts';
import { type HttpSettings, readRequests, type RequestSettings } from './read-requests.ts';
import type { httpKeys } from './schema.ts';

const withCompiler = loadOnce(() => import('./compile-http.ts'));
const withTool = loadOnce(() => import('./http-tool.ts'));

/** `type: http`: requests with templates. */
export const http = defineKind({
  type: 'http',
  schema: KIND_SCHEMAS.http,
  isSound: true,
  // Validated by its schema just before.
  read: (written, context): HttpSettings => readRequests(written as z.input<typeof httpKeys>, context),
  section: 'http',
  guessCtxRisk: ({ requests }) => (requests.every(({ method }) => /^(?:GET|HEAD)$/.test(method)) ? 'read' : 'write'),
  check: ({ settings }) => {
    const faults = withCompiler(({ compileHttp }) => [...compileHttp(settings).faults, ...findAuthFaults(settings)]);
    return settings.requests.some(({ select }) => select !== undefined) ? addSelectFaults(faults, settings) : faults;
  },
  tools: (entry, host) => withTool(({ httpTool }) => [httpTool(entry, host)]),
  paths: ['upload_from'],
  pathArguments: ({ paths, settings }, { cwd }) => {
    if (paths === undefined) return undefined;
    const files = uploadArguments(settings);
    const folder = settings.uploadFrom ?? cwd;
    return {
      // Only the remote service knows the base of its relative paths.
      names: paths.filter((name) => !files.includes(name)),
      folders: () => [],
      made: (args) =>
        files.flatMap((argument) => {
          const path = Object.hasOwn(args, argument) ? args[argument] : undefined;
          return typeof path === 'string' ? [{ argument, path, folder }] : [];
        }),
      // An upload writes at the service, not here.
      reads: files,
    };
  },
  dryRun: async ({ entry, input }) => {
    const { compileHttp } = await import('./compile-http.ts');
    const { requests } = entry.settings;
    return compileHttp(entry.settings).requests.map((request, index) => {
      const { method, url, headers } = request.render(input);
      const auth = requests[index]?.auth;
      const shown = { method, url, headers: Object.keys(headers ?? {}) };
      return { type: 'request', ...shown, ...(auth === undefined ? {} : { auth: describeAuth(auth) }) };
    });
  },
  describe: ({ settings, metadata: { retries } }) => [
    ...describeRetries(retries),
    ...settings.requests.flatMap(describeRequest),
  ],
  logins: ({ settings, metadata }) =>
    settings.requests.flatMap(({ auth }) =>
      auth?.type === 'oauth' && auth.grant !== 'client_credentials' ? [toClient(auth, metadata.source ?? 'api')] : [],
    ),
  doctor: ({ settings }) => settings.requests.map(({ url }) => ({ need: 'host', url })),
});

/** JMESPath is loaded only for boards that use it. */
async function addSelectFaults(
  others: readonly EntryFault[] | Promise<readonly EntryFault[]>,
  { requests }: HttpSettings,
): Promise<readonly EntryFault[]> {
  const { findSelectFault } = await import('./extras/select.ts');
  const faults = requests.map(({ select }) => (select === undefined ? undefined : findSelectFault(select)));
  const found = faults.flatMap((message, index) =>
    message === undefined ? [] : [{ path: ['requests', index, 'select'], message }],
  );
  return [...(await others), ...found];
}

/** Returns the arguments that are paths of files to send. */
function uploadArguments({ requests }: HttpSettings): string[] {
  const files = requests.flatMap(({ multipart = {} }) =>
    Object.values(multipart).flatMap((part) => (isPlainObject(part) ? [part['path']] : [])),
  );
  return files.flatMap((path) => (typeof path === 'string' ? (/^\{\{\s*([^\s:}]+)/.exec(path)?.[1] ?? []) : []));
}

function describeRetries(retries: number | undefined): DescribedLine[] {
  if (retries === 0) return [];
  return [['retries', retries === undefined ? '2, of what only reads' : String(retries)]];
}

/** Describes a request with headers and form fields by name only: their values may be secrets. */
function describeRequest({
  method,
  url,
  query,
  headers,
  body,
  form,
  auth,
  ...extras
}: RequestSettings): DescribedLine[] {
  const fields = Object.entries(query).map(([name, value]) => {
    return `${name}=${isSecretName(name) ? '[redacted]' : typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  const lines: (readonly [string, string | undefined])[] = [
    ['request', `${method} ${url}`],
    ['query', fields.join('&') || undefined],
    ['headers', Object.keys(headers).join(', ') || undefined],
    ['auth', auth && describeAuth(auth)],
    ['form', form && Object.keys(form).join(', ')],
    ['body', body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)],
    ['files', extras.multipart && Object.keys(extras.multipart).join(', ')],
    ['graphql', extras.graphql?.query.replaceAll(/\s+/g, ' ').trim()],
    ['select', extras.select],
    ['stream', extras.stream && `events until ${extras.stream.until}`],
    ['pages', extras.paginate && `by ${extras.paginate.type}, up to ${extras.paginate.limit} items`],
  ];
  return lines.flatMap(([label, text]): DescribedLine[] => (text === undefined ? [] : [[label, text]]));
}

/** Finds credentials that are not sent although the author may expect it. */
function findAuthFaults({ requests, fileAuth }: HttpSettings): EntryFault[] {
  return requests.flatMap(({ auth, headers }, index): EntryFault[] => {
    const path = ['requests', index];
    if (auth === undefined && fileAuth !== undefined) {
      const message =
        'goes to another host than http.base_url of this file, so the auth and the headers of the file are not sent. Write auth for this tool, or auth: { type: none }.';
      return [{ path: [...path, 'url'], message, severity: 'warning' }];
    }
    const name = auth && Object.keys(headers).find((header) => header.toLowerCase() === headerOf(auth));
    if (auth === undefined || name === undefined) return [];
    const message = `sends the header "${name}" in place of auth (${describeAuth(auth)}). Keep one of them.`;
    return [{ path, message, severity: 'warning' }];
  });
}

import type { z } from 'zod';
import { isSecretName } from '../../guard/secrets/secret-names.ts';
import { defineKind } from '../define-kind.ts';
import { loadOnce } from '../load-once.ts';
import type { DescribedLine } from '../kind.ts';
import { toTexts } from '../parse-units.ts';
import { toObjectSchema } from '../run/commands-settings.ts';
import { KIND_SCHEMAS } from '../schema.generated.ts';
import type { HttpSettings, RequestSettings } from './http-tool.ts';
import type { httpKeys } from './schema.ts';

const withTool = loadOnce(() => import('./http-tool.ts'));

/** `type: http`: requests with templates. */
export const http = defineKind({
  type: 'http',
  schema: KIND_SCHEMAS.http,
  // Checked against its schema just before.
  read: (written): HttpSettings => readRequests(written as z.input<typeof httpKeys>),
  guessCtxRisk: ({ requests }) => (requests.every(({ method }) => /^(?:GET|HEAD)$/.test(method)) ? 'read' : 'write'),
  check: ({ settings }) => withTool(({ compileHttp }) => compileHttp(settings).faults),
  tools: (entry, host) => withTool(({ httpTool }) => [httpTool(entry, host)]),
  // Only the service that is asked knows where its relative paths start.
  pathArguments: ({ paths }) => paths && { names: paths, folders: () => [] },
  dryRun: async ({ entry, input }) => {
    const { compileHttp } = await import('./http-tool.ts');
    return compileHttp(entry.settings).requests.map((request) => {
      const { method, url, headers } = request.render(input);
      return { type: 'request', method, url, headers: Object.keys(headers ?? {}) };
    });
  },
  describe: ({ settings }) => settings.requests.flatMap(describeRequest),
  doctor: ({ settings }) => settings.requests.map(({ url }) => ({ need: 'host', url })),
});

function readRequests(written: z.input<typeof httpKeys>): HttpSettings {
  return {
    schema: toObjectSchema(written.schema),
    requests: written.requests.map((request) => ({
      url: request.url,
      method: (request.method ?? 'GET').toUpperCase(),
      headers: toTexts(request.headers),
      query: request.query ?? {},
      body: request.body,
      form: request.form === undefined ? undefined : toTexts(request.form),
      styles: request.styles ?? {},
    })),
    redirects: written.redirects ?? 'same-origin',
    allowHosts: written.allow_hosts ?? [],
  };
}

/** Headers and form fields by name only: their values may be secrets. */
function describeRequest({ method, url, query, headers, body, form }: RequestSettings): DescribedLine[] {
  const fields = Object.entries(query).map(([name, value]) => {
    return `${name}=${isSecretName(name) ? '[redacted]' : typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  const lines: (readonly [string, string | undefined])[] = [
    ['request', `${method} ${url}`],
    ['query', fields.join('&') || undefined],
    ['headers', Object.keys(headers).join(', ') || undefined],
    ['form', form && Object.keys(form).join(', ')],
    ['body', body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)],
  ];
  return lines.flatMap(([label, text]): DescribedLine[] => (text === undefined ? [] : [[label, text]]));
}

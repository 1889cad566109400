import { createHash, createHmac } from 'node:crypto';
import { ToolError } from '../../tool/tool-error.ts';
import type { HttpRequest } from './http-messages.ts';

/** Credentials and scope for signing requests. */
export interface AwsSigner {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only for temporary credentials. */
  readonly sessionToken?: string | undefined;
  /** Default: derived from the host. */
  readonly region?: string | undefined;
  /** Default: derived from the host. */
  readonly service?: string | undefined;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
/** The headers that a signature covers. Others may change on the way. */
const SIGNED = /^(?:host|content-type|content-md5|range|x-amz-.*)$/;

/** Signs a request for AWS (Signature Version 4). `now` is milliseconds since 1970. */
export function signAws(request: HttpRequest, signer: AwsSigner, now: number): HttpRequest {
  const url = new URL(request.url);
  const { region, service } = findScope(url.hostname, signer);
  const date = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const hash = sha256(request.body ?? '');
  const isStorage = service.startsWith('s3');
  const own: Record<string, string> = {
    'x-amz-date': date,
    ...(signer.sessionToken ? { 'x-amz-security-token': signer.sessionToken } : {}),
    ...(isStorage || service === 'aoss' ? { 'x-amz-content-sha256': hash } : {}),
  };
  const written = Object.entries(request.headers ?? {}).filter(([name]) => !(name.toLowerCase() in own));
  const headers: Record<string, string> = { ...Object.fromEntries(written), ...own };
  const signed = toSigned({ host: url.host, ...headers });
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    // S3 uses paths as they are; all other services encode them again.
    isStorage
      ? url.pathname
      : url.pathname
          .replaceAll(/\/{2,}/g, '/')
          .split('/')
          .map(encode)
          .join('/'),
    toQuery(url.search),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    hash,
  ].join('\n');
  const day = date.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = [ALGORITHM, date, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${signer.secretAccessKey}`);
  const credential = `${signer.accessKeyId}/${scope}`;
  const signature = hmac(key, text).toString('hex');
  headers['authorization'] = `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...request, headers };
}

/** Derives region and service from an AWS host name; leaves out those that the name does not contain. */
export function readAwsHost(hostname: string): { readonly region?: string; readonly service?: string } {
  const labels = /^(.+)\.(?:amazonaws\.com(?:\.cn)?|api\.aws|on\.aws)$/.exec(hostname)?.[1]?.split('.');
  if (labels === undefined) return {};
  const at = labels.findLastIndex((label) => /^[a-z]{2}(?:-[a-z]+)+-\d$/.test(label));
  // Most host names have the service before the region, some after it.
  const name = at < 0 ? labels.at(-1) : (labels[at + 1] ?? labels[at - 1]);
  const service = SERVICES[name ?? ''] ?? name;
  const region = labels[at] ?? 'us-east-1';
  return service === undefined ? { region } : { region, service };
}

/** Host labels that differ from the name used for signing. */
const SERVICES: Readonly<Record<string, string>> = {
  'lambda-url': 'lambda',
  email: 'ses',
  'bedrock-runtime': 'bedrock',
  'bedrock-agent-runtime': 'bedrock',
  'runtime-sagemaker': 'sagemaker',
  dualstack: 's3',
};

function findScope(
  hostname: string,
  { region, service }: AwsSigner,
): { readonly region: string; readonly service: string } {
  const said = readAwsHost(hostname);
  const found = { region: region ?? said.region, service: service ?? said.service };
  if (found.region !== undefined && found.service !== undefined)
    return { region: found.region, service: found.service };
  const missing = found.region === undefined ? 'region' : 'service';
  const message = `The request was not signed: ${hostname} does not say its ${missing}. Set auth.${missing} in the config.`;
  throw new ToolError({ code: 'invalid_config', message });
}

function toSigned(headers: Readonly<Record<string, string>>): [string, string][] {
  const lower = Object.entries(headers).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value.trim().replaceAll(/ +/g, ' '),
  ]);
  return lower.filter(([name]) => SIGNED.test(name)).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Orders and encodes a query as the signature requires. */
function toQuery(search: string): string {
  const pairs = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '');
  const coded = pairs.map((pair) => {
    const [name = '', ...rest] = pair.split('=');
    return [encode(decode(name)), encode(decode(rest.join('=')))] as const;
  });
  const sorted = coded.toSorted(([a, x], [b, y]) => (a === b ? Number(x > y) - Number(x < y) : a < b ? -1 : 1));
  return sorted.map(([name, value]) => `${name}=${value}`).join('&');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

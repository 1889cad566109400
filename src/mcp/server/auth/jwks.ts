import { createPublicKey, type KeyObject } from 'node:crypto';
import { isPlainObject } from '../../../tool/json.ts';

/** A key that tokens are signed with. */
export interface SigningKey {
  readonly key: KeyObject;
  readonly kid: string | undefined;
  /** The one algorithm it is for, where it says so. */
  readonly alg: string | undefined;
}

/** Where keys come from. */
export interface JwksOptions {
  /** The address of the key set; otherwise it is found through the issuer's metadata. */
  readonly jwksUrl?: string | undefined;
  readonly issuer: string;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
}

const KEEP = 10 * 60_000;
/** A token with an unknown key may make us look again, but not all the time. */
const LEAST_GAP = 30_000;
/** And one that gave nothing is left alone for a moment. */
const FAILURE_GAP = 3_000;
const MAX_BYTES = 1024 * 1024;

/** The keys of an authorization server, fetched when needed and kept for a while. */
export class Jwks {
  readonly #options: JwksOptions;
  readonly #fetch: typeof fetch;
  readonly #now: () => number;
  #keys: readonly SigningKey[] = [];
  #fetchedAt = -Infinity;
  #failedAt = -Infinity;
  #failure: unknown;
  #pending: Promise<void> | undefined;

  constructor(options: JwksOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? fetch;
    this.#now = options.now ?? Date.now;
  }

  /** The keys that a token may be signed with: the one it names, or all when it names none. */
  async find(kid: string | undefined): Promise<readonly SigningKey[]> {
    const matching = (): readonly SigningKey[] =>
      this.#keys.filter((key) => kid === undefined || key.kid === undefined || key.kid === kid);
    const age = this.#now() - this.#fetchedAt;
    if (age > KEEP || (matching().length === 0 && age > LEAST_GAP)) {
      // A server in trouble is not asked again for each token that somebody makes up.
      if (this.#pending === undefined && this.#now() - this.#failedAt < FAILURE_GAP) {
        throw this.#failure;
      }
      this.#pending ??= this.#load().finally(() => (this.#pending = undefined));
      await this.#pending.catch((error: unknown) => {
        throw (this.#failure = error);
      });
    }
    return matching();
  }

  async #load(): Promise<void> {
    this.#failedAt = this.#now();
    const url = this.#options.jwksUrl ?? (await this.#discover());
    const { keys } = await this.#get(url);
    this.#keys = (Array.isArray(keys) ? keys : []).flatMap(toSigningKey);
    this.#fetchedAt = this.#now();
    this.#failedAt = -Infinity;
  }

  async #discover(): Promise<string> {
    const { issuer } = this.#options;
    const { origin, pathname } = new URL(issuer);
    const path = pathname.replace(/\/$/, '');
    const places = [
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
      ...(path === '' ? [] : [`${origin}/.well-known/openid-configuration${path}`]),
    ];
    for (const place of places) {
      const found = await this.#get(place).catch(() => undefined);
      const url = found?.['jwks_uri'];
      if (typeof url !== 'string') continue;
      // Whoever speaks for another issuer must not say whose keys are good (RFC 8414, 3.3).
      if (found?.['issuer'] === issuer) return url;
      const named = JSON.stringify(found?.['issuer'] ?? 'nobody');
      throw new Error(`${place} speaks for ${named}, and serve.oauth.issuer is "${issuer}". They must be the same.`);
    }
    throw new Error(`${issuer} does not say where its keys are. Set serve.oauth.jwksUrl.`);
  }

  async #get(url: string): Promise<Record<string, unknown>> {
    const response = await this.#fetch(url, { signal: AbortSignal.timeout(5_000), redirect: 'error' });
    if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
    const text = await response.text();
    const data: unknown = text.length > MAX_BYTES ? undefined : JSON.parse(text);
    if (!isPlainObject(data)) throw new Error(`${url} answered with something else than a JSON object.`);
    return data;
  }
}

function toSigningKey(jwk: unknown): SigningKey[] {
  if (!isPlainObject(jwk) || (jwk['use'] !== undefined && jwk['use'] !== 'sig')) return [];
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  try {
    // Secrets have no place here: only keys of two halves can be public.
    if (jwk['kty'] === 'oct') return [];
    return [{ key: createPublicKey({ key: jwk, format: 'jwk' }), kid: text(jwk['kid']), alg: text(jwk['alg']) }];
  } catch {
    return [];
  }
}

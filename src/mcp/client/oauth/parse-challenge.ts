/** The parts of a refusal that describe the token it wants. */
export interface Challenge {
  readonly error: string | undefined;
  readonly scope: string | undefined;
  readonly resourceMetadata: string | undefined;
  /** True when it wants a token that is bound to a key (DPoP). */
  readonly wantsDpop: boolean;
}

/** Reads a `WWW-Authenticate` header; parts that are missing or cannot be read are left out. */
export function parseChallenge(header: string | readonly string[] | undefined): Challenge {
  const text = (typeof header === 'string' ? header : (header?.join(', ') ?? '')).slice(0, 8192);
  const values = new Map<string, string>();
  for (const [, name = '', quoted, plain] of text.matchAll(/([a-z_]+)\s*=\s*(?:"([^"]*)"|([^\s,"]+))/gi)) {
    if (!values.has(name.toLowerCase())) values.set(name.toLowerCase(), quoted ?? plain ?? '');
  }
  return {
    error: values.get('error'),
    scope: values.get('scope') || undefined,
    resourceMetadata: values.get('resource_metadata'),
    wantsDpop: /(?:^|,)\s*DPoP(?:\s|$)/i.test(text),
  };
}

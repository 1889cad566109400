import type { HttpToolEntry, ToolOrigin } from './read-operation.ts';
import type { OperationAuth } from './read-security.ts';

/** Settings that the tools of a file share, as its section `http` has them. */
export interface SharedSettings {
  readonly base_url?: string;
  readonly auth?: OperationAuth;
}

/** A tool beside such a section. */
export type SharingTool = Omit<HttpToolEntry, 'auth'> & { readonly auth?: OperationAuth | { readonly type: 'none' } };

/** Takes the address and the credentials that most tools have out of them, so that they stand in one place. */
export function shareSettings(
  tools: readonly HttpToolEntry[],
  origins: ReadonlyMap<string, Pick<ToolOrigin, 'baseUrl' | 'isMain'>>,
): { readonly http: SharedSettings | undefined; readonly tools: readonly SharingTool[] } {
  // The credentials beside it go there, so that it must be the server that they are for.
  const mains = tools.map(({ id }) => origins.get(id)).filter((origin) => origin?.isMain === true);
  const base = mostFrequent(mains.map((origin) => origin?.baseUrl).filter((url) => url?.includes('{') === false));
  const auth = mostFrequent(tools.map((tool) => (tool.auth === undefined ? undefined : JSON.stringify(tool.auth))));
  const shared = tools.map((tool): SharingTool => {
    const { auth: own, requests, ...rest } = tool;
    const isAtBase = base !== undefined && origins.get(tool.id)?.baseUrl === base;
    const isShared = JSON.stringify(own) === auth;
    const written = isShared ? undefined : (own ?? (auth === undefined ? undefined : { type: 'none' as const }));
    return {
      ...rest,
      ...(written === undefined ? {} : { auth: written }),
      requests: requests.map((request) =>
        isAtBase ? { ...request, url: request.url.slice(base.length) || '/' } : request,
      ),
    };
  });
  const http: SharedSettings = {
    ...(base === undefined ? {} : { base_url: base }),
    // What was written as JSON just above.
    ...(auth === undefined ? {} : { auth: JSON.parse(auth) as OperationAuth }),
  };
  return { http: Object.keys(http).length === 0 ? undefined : http, tools: shared };
}

function mostFrequent(values: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

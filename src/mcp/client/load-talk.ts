import type { OAuthTokens } from './oauth/oauth-tokens.ts';
import type { ServerSettings } from './server-settings.ts';
import type { openMcpSession } from './session/open-mcp-session.ts';
import type { TokenOwner, UpstreamResources } from './upstream-resources.ts';

/** The functions that talk to a server. */
export interface ServerTalk {
  readonly openMcpSession: typeof openMcpSession;
  /** Milliseconds for a person to log in. */
  readonly loginTimeout: number;
  readonly tokens: OAuthTokens | undefined;
}

/** Loads what talks to a server: a board whose servers sleep does without. */
export async function loadTalk(
  settings: ServerSettings,
  resources: UpstreamResources,
  owner?: TokenOwner,
): Promise<ServerTalk> {
  const [session, tokens] = await Promise.all([
    import('./session/open-mcp-session.ts'),
    import('./upstream-resources.ts'),
  ]);
  return {
    openMcpSession: session.openMcpSession,
    loginTimeout: session.LOGIN_TIMEOUT,
    tokens: tokens.tokensFor(settings, resources, owner),
  };
}

/** The OAuth settings of a server in the config. */
export interface OAuthSettings {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The URL of a document about this client, which some authorization servers accept as its id. */
  readonly clientMetadataUrl: string | undefined;
  /** A PEM key, for clients that sign instead of sending a secret. */
  readonly privateKey: string | undefined;
  readonly algorithm: 'ES256' | 'RS256';
  /** Requested in addition to the scopes that the server names. */
  readonly scope: string | undefined;
  readonly grant: 'authorization_code' | 'client_credentials' | 'jwt_bearer' | 'token_exchange';
  /** For `jwt_bearer`: a signed JWT that the client already has, such as its workload token. */
  readonly assertion?: TokenSource | undefined;
  /** For `jwt_bearer`: the provider that issues the JWT for a user who logged in there. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** The only authorization server that may receive the client's credentials. */
  readonly issuer: string | undefined;
}

/** A token obtained elsewhere: its text, or a file that is kept up to date. */
export type TokenSource =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly file: string };

/** A company's login service, and the token that proves a login there. */
interface IdentityProvider {
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly idToken: TokenSource | undefined;
}

/** Lets a person log in through a browser or with a code. */
export interface OAuthLogin {
  readonly redirectUri: string;
  /** Opens the URL for the person and returns the address that the browser came back to. */
  authorize(url: string): Promise<string>;
  /** Shows a URL to open on any device and the code to type there. Returns at once. */
  showCode?(shown: { readonly url: string; readonly code: string }): void;
}

interface FaultDetails {
  /** True when the authorization server refused the request and would refuse it again. */
  readonly isRefusal?: boolean;
  /** True when the server did not answer or failed, and may succeed later. */
  readonly isOutage?: boolean;
  /** The server's error code, such as `authorization_pending`. */
  readonly code?: string;
}

/** The reason why there is no token. The message is for people and contains no secrets. */
export class OAuthFault extends Error {
  readonly isRefusal: boolean;
  readonly isOutage: boolean;
  readonly code: string | undefined;

  constructor(message: string, { isRefusal = false, isOutage = false, code }: FaultDetails = {}) {
    super(message);
    this.isRefusal = isRefusal;
    this.isOutage = isOutage;
    this.code = code;
  }
}

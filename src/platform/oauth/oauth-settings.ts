/** What a server's config says about getting tokens. */
export interface OAuthSettings {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Where a document about this client stands, which some authorization servers take as its id. */
  readonly clientMetadataUrl: string | undefined;
  /** A key in PEM, for clients that sign instead of sending a secret. */
  readonly privateKey: string | undefined;
  readonly algorithm: 'ES256' | 'RS256';
  /** Asked for besides what the server names. */
  readonly scope: string | undefined;
  readonly grant: 'authorization_code' | 'client_credentials' | 'jwt_bearer' | 'token_exchange';
  /** For `jwt_bearer`: the signed text that the client has, such as the token of its workload. */
  readonly assertion?: TokenSource | undefined;
  /** For `jwt_bearer`: who gives such a text for a user who logged in there. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** The only authorization server that the client's credentials are for. */
  readonly issuer: string | undefined;
}

/** A token that something else got: its text, or a file that is kept fresh. */
export type TokenSource =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly file: string };

/** Where a company's users log in, and what says that one did. */
interface IdentityProvider {
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly idToken: TokenSource | undefined;
}

/** A person who can log in: where their browser comes back to, and what shows them the address. */
export interface OAuthLogin {
  readonly redirectUri: string;
  /** Shows the address and gives the one the browser came back to. */
  authorize(url: string): Promise<string>;
  /** Shows an address to open on any device, and the code to type there; it goes on at once. */
  showCode?(shown: { readonly url: string; readonly code: string }): void;
}

/** What is known of a fault besides its message. */
interface FaultDetails {
  /** Whether an authorization server refused what it was sent: it would refuse it again. */
  readonly isRefusal?: boolean;
  /** Whether the server did not answer, or had a fault of its own: it may answer later. */
  readonly isOutage?: boolean;
  /** The server's own word for why, such as `authorization_pending`. */
  readonly code?: string;
}

/** Why there is no token; the message is for people and never holds a secret. */
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

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
  readonly grant: 'authorization_code' | 'client_credentials';
  /** The only authorization server that the client's credentials are for. */
  readonly issuer: string | undefined;
}

/** A person who can log in: where their browser comes back to, and what shows them the address. */
export interface OAuthLogin {
  readonly redirectUri: string;
  /** Shows the address and gives the one the browser came back to. */
  authorize(url: string): Promise<string>;
}

/** Why there is no token; the message is for people and never holds a secret. */
export class OAuthFault extends Error {}

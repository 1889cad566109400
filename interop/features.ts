/** The features that are tried with each client, in the order of the table. */
export const FEATURES = [
  'list',
  'call',
  'structured',
  'images',
  'links',
  'resources',
  'prompts',
  'progress',
  'cancel',
  'elicitation',
  'approval',
  'handles',
  'tasks',
] as const;
export type Feature = (typeof FEATURES)[number];

/** The transport between a client and the board. */
export type Way = 'stdio' | 'http';

/**
 * The outcome of one feature: it works (`remark` says how, where there are several ways), the client does not offer it, or it
 * fails.
 */
export type Outcome =
  | { readonly type: 'works'; readonly remark?: string }
  | { readonly type: 'not offered'; readonly why: string }
  | { readonly type: 'fails'; readonly message: string };

/** The outcomes of the features that were tried over one transport. */
export type Outcomes = Readonly<Partial<Record<Feature, Outcome>>>;

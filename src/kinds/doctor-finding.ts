/** Something that an entry needs, for `pegboard doctor` to look for. */
export type DoctorFinding =
  /** A program: a name, or a path. */
  | { readonly need: 'command'; readonly name: string }
  /** An address whose host must be reachable. */
  | { readonly need: 'host'; readonly url: string }
  /** An environment variable that is passed on if it is set. */
  | { readonly need: 'variable'; readonly name: string }
  /** A sandbox, and the folders that a command gets in it. */
  | { readonly need: 'sandbox'; readonly folders: readonly string[] }
  /** Limits on what a command may use. */
  | { readonly need: 'limits' }
  /** Something that the kind has looked at itself. */
  | {
      readonly need: 'own';
      /** What was looked at, as one word: script, database. */
      readonly kind: string;
      readonly name: string;
      /** `missing` is something that the tools cannot do without. */
      readonly status: 'ok' | 'warning' | 'missing';
      readonly detail: string;
    };

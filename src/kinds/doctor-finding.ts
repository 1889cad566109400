/** A requirement of an entry, for `pegboard doctor` to check. */
export type DoctorFinding =
  /** A program: a name, or a path. */
  | { readonly need: 'command'; readonly name: string }
  /** An address whose host must be reachable. */
  | { readonly need: 'host'; readonly url: string }
  /** An environment variable that is passed on if it is set. */
  | { readonly need: 'variable'; readonly name: string }
  /** A sandbox, and the folders that a command gets in it. */
  | { readonly need: 'sandbox'; readonly folders: readonly string[] }
  /** Resource limits of a command. */
  | { readonly need: 'limits' }
  /** A requirement that the kind has checked itself. */
  | {
      readonly need: 'own';
      /** The subject in one word: script, database. */
      readonly kind: string;
      readonly name: string;
      /** `missing`: the tools cannot work without it. */
      readonly status: 'ok' | 'warning' | 'missing';
      readonly detail: string;
    };

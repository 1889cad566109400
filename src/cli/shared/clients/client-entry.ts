/** The connection of a client to the board: a command or an address. */
export type ClientEntry =
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** A placeholder for each variable that the board needs. */
      readonly env?: Readonly<Record<string, string>>;
    }
  | {
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** The variable with the token, if the client's file can name one. */
      readonly tokenVariable?: string;
    };

/** An entry in the format of a client. */
export type WrittenEntry = Readonly<Record<string, unknown>>;

export function toPlainEntry(entry: ClientEntry): WrittenEntry {
  return 'url' in entry ? toUrlEntry('url', entry) : { ...entry };
}

export function toTypedEntry(entry: ClientEntry): WrittenEntry {
  return { type: 'url' in entry ? 'http' : 'stdio', ...toPlainEntry(entry) };
}

/** Creates the format of a client that has addresses under another key. */
export function withUrlUnder(key: string): (entry: ClientEntry) => WrittenEntry {
  return (entry) => ('url' in entry ? toUrlEntry(key, entry) : { ...entry });
}

/** Codex passes on variables by name. */
export function toCodexEntry(entry: ClientEntry): WrittenEntry {
  if ('url' in entry) {
    const { url, headers, tokenVariable } = entry;
    if (tokenVariable !== undefined) return { url, bearer_token_env_var: tokenVariable };
    return { url, ...(headers === undefined ? {} : { http_headers: headers }) };
  }
  const { env, ...rest } = entry;
  return env === undefined ? rest : { ...rest, env_vars: Object.keys(env) };
}

function toUrlEntry(
  key: string,
  { url, headers }: { readonly url: string; readonly headers?: Readonly<Record<string, string>> },
): WrittenEntry {
  return { [key]: url, ...(headers === undefined ? {} : { headers }) };
}

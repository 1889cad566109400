const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** Expands `~`, `$NAME` and `${NAME}` like a shell. Leaves unset variables unchanged. */
export function expandHome(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const home = env['HOME'];
  const at = home !== undefined && (text === '~' || text.startsWith('~/')) ? `${home}${text.slice(1)}` : text;
  return at.replaceAll(VARIABLE, (whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return Object.hasOwn(env, name) ? (env[name] ?? whole) : whole;
  });
}

/** Lists the variables that `expandHome` would expand in a text. */
export function shellVariablesIn(text: string): string[] {
  return [...text.matchAll(VARIABLE)].map(([, braced, bare]) => braced ?? bare ?? '');
}

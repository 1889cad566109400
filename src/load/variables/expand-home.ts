const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** `~` and `$NAME` or `${NAME}` as a shell would read them; a variable that is not set stays as it is written. */
export function expandHome(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const home = env['HOME'];
  const at = home !== undefined && (text === '~' || text.startsWith('~/')) ? `${home}${text.slice(1)}` : text;
  return at.replaceAll(VARIABLE, (whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return Object.hasOwn(env, name) ? (env[name] ?? whole) : whole;
  });
}

/** The variables that `expandHome` would look for in a text. */
export function shellVariablesIn(text: string): string[] {
  return [...text.matchAll(VARIABLE)].map(([, braced, bare]) => braced ?? bare ?? '');
}

/** `~` and `$NAME` or `${NAME}` as a shell would read them; a variable that is not set stays as it is written. */
export function expandHome(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const home = env['HOME'];
  const at = home !== undefined && (text === '~' || text.startsWith('~/')) ? `${home}${text.slice(1)}` : text;
  return at.replaceAll(/\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g, (whole, braced, bare) => {
    const name: unknown = braced ?? bare;
    return typeof name === 'string' && Object.hasOwn(env, name) ? (env[name] ?? whole) : whole;
  });
}

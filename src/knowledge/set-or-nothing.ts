/** A variable that is set nowhere stays as it is written in a ctx file: that is no key. */
export function setOrNothing(value: string | undefined): string | undefined {
  return value === undefined || value === '' || /^\$\{[^}]*\}$/.test(value) ? undefined : value;
}

/** The ways in which a value can be something else than a path of this machine. */
export const PATH_FORMS = [
  'url',
  'address',
  'host',
  'container',
  'volume',
  'mount',
  'package',
  'at',
  'field',
  'file-url',
] as const;

/** The form of an argument's value, by which the paths of this machine are found in it. */
export interface PathForm {
  readonly form: (typeof PATH_FORMS)[number];
  /** The beginnings of addresses that the command takes, without `://`. Default: http and https for `url` and `address`, none for others. */
  readonly schemes?: readonly string[] | undefined;
}

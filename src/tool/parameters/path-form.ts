/** Forms of values that may be something other than a local path. */
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

/** The form of an argument's value, used to find local paths in it. */
export interface PathForm {
  readonly form: (typeof PATH_FORMS)[number];
  /** URL schemes that the command accepts, without `://`. Default: http and https for `url` and `address`, none for others. */
  readonly schemes?: readonly string[] | undefined;
}

import type { ArgumentRisk } from '../../../tool/parameters/argument-risk.ts';

/** Values of a well-known command that its pages do not tell of: a check of paths cannot see what they reach. */
interface KnownValues {
  readonly command: RegExp;
  /** Flags; `undefined` for words that are no options. */
  readonly flags?: RegExp;
  readonly risk: ArgumentRisk;
}

const asking = (...patterns: readonly string[]): ArgumentRisk =>
  Object.fromEntries(patterns.map((pattern) => [pattern, 'destructive'] as const));

const FFMPEG = /^ff(?:mpeg|probe|play)$/;
/** `http:…`, `concat:…`, `subfile,,start,0,end,0,,:…`: anything but a plain name. */
const PROTOCOLS = asking('*:*');

const ROWS: readonly KnownValues[] = [
  // `host:archive` is a file of another machine, which tar reaches through rsh or ssh.
  { command: /^(?:tar|gtar|cpio|mt)$/, flags: /^(?:--file|-f|-F)$/, risk: PROTOCOLS },
  { command: FFMPEG, flags: /^-(?:i|progress|sdp_file)$/, risk: PROTOCOLS },
  { command: FFMPEG, risk: PROTOCOLS },
  // Lists and filters that open further files and addresses.
  { command: FFMPEG, flags: /^-f$/, risk: asking('concat*', 'lavfi', 'tee', 'segment', 'hls', 'dash', '*_pipe') },
  {
    command: FFMPEG,
    flags: /^-(?:filter_complex|lavfi|vf|af|filter:?)$/,
    risk: asking(
      '*movie=*',
      '*file*',
      '*subtitles*',
      '*ass=*',
      '*lut*d=*',
      '*model*',
      '*zmq*',
      '*ladspa*',
      '*lv2*',
      '*frei0r*',
    ),
  },
  { command: FFMPEG, flags: /^-(?:protocol_whitelist|filter_script:?|filter_complex_script)$/, risk: 'destructive' },
];

/** The risk of some values of an option, or of the words of a command where no flags are given. */
export function knownValues(
  command: readonly string[],
  flags?: readonly string[],
): { readonly risk: ArgumentRisk; readonly from: string } | undefined {
  const words = command.map((word) => word.split('/').at(-1) ?? word).join(' ');
  const row = ROWS.find(
    (one) =>
      one.command.test(words) &&
      (flags === undefined ? one.flags === undefined : flags.some((flag) => one.flags?.test(flag) === true)),
  );
  return row === undefined ? undefined : { risk: row.risk, from: flags?.[0] ?? words };
}

import type { CommandPage, PageOption, PagePositional } from './command-page.ts';
import { correctFind } from './correct-find.ts';
import { parseOption } from './help/parse-option.ts';

/** Words that a command's own help calls needed although it works without them, by the command. */
const NOT_NEEDED: Readonly<Record<string, string>> = {
  'git add': 'pathspec',
  'npm ls': 'package-spec',
  'npm pack': 'package-spec',
  'npm publish': 'package-spec',
  'npm init': 'package-spec',
  'npm stage publish': 'package-spec',
};

/** Words that a command's help calls by a name that says less than people know, by the program. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  systemctl: { PATTERN: 'UNIT' },
};

/** Words that are addresses, by the program. aws reads a file where it is given `file://…`, so no other address may stand there. */
const ADDRESSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  aws: { S3Uri: 's3://.*' },
  // curl reads files of this machine for file://, and sends any bytes for gopher:// and its like.
  curl: { url: String.raw`(?:https?://.*|[^:/]+(?::\d+)?(?:[/?#].*)?)` },
};

/** Values that must not name a file to read (`@FILE`) or to write (`%output{FILE}`), by the program and the flag. */
const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  curl: {
    '--header': '[^@].*',
    '--proxy-header': '[^@].*',
    '--url-query': '[^@].*',
    '--write-out': '(?:[^@%]|%[^o])(?:[^%]|%[^o])*',
  },
};

/** Options that a command takes from its libraries and whose help is far too long to ask for, by the command. */
const FURTHER: Readonly<Record<string, readonly (readonly [spec: string, description: string])[]>> = {
  ffmpeg: [
    ['-crf number', 'Constant quality of x264, x265, VP9 and AV1: 0 is best, 18 to 28 is usual'],
    ['-preset name', 'Speed against size, such as ultrafast, fast, medium or slow'],
    ['-tune name', 'What the encoder is tuned for, such as film, animation, stillimage or zerolatency'],
    ['-g number', 'Frames between key frames at most'],
    ['-maxrate bitrate', 'The highest bitrate, with -bufsize'],
    ['-bufsize size', 'The size of the buffer for -maxrate'],
    ['-threads number', 'Threads to use'],
    ['-movflags flags', 'How MP4 files are written, such as +faststart'],
  ],
};

/** Options that may be given several times although no page says so, by the command. */
const REPEATED: Readonly<Record<string, readonly string[]>> = {
  ffmpeg: ['-map', '-attach'],
  ssh: ['-o', '-L', '-R', '-D'],
  sed: ['--expression'],
};

/** Corrects what well-known commands say wrongly about themselves, and adds what they do not say. */
export function correctPage(given: CommandPage): CommandPage {
  const name = given.command.map((word) => word.split('/').at(-1)).join(' ');
  const page = name === 'find' ? correctFind(given) : given;
  const [program = ''] = name.split(' ');
  const wrong = NOT_NEEDED[name];
  const known = new Set(page.options.flatMap(({ flags }) => flags));
  const further = (FURTHER[name] ?? []).flatMap(([spec, description]) => parseOption(spec, description) ?? []);
  return {
    ...page,
    positionals: page.positionals.map((word) => ({
      ...word,
      name: RENAMED[program]?.[word.name] ?? word.name,
      description: describeMixed(word, page.options),
      isRequired: word.isRequired && word.name !== wrong,
      pattern: ADDRESSES[program]?.[word.name] ?? word.pattern,
    })),
    options: [
      ...page.options.map((option) => ({
        ...option,
        isRepeatable: option.isRepeatable || option.flags.some((flag) => REPEATED[name]?.includes(flag)),
        value: takesNextWord(option, page.positionals)
          ? undefined
          : option.value && { ...option.value, pattern: patternOf(option, program) ?? option.value.pattern },
      })),
      ...further.filter(({ flags }) => !flags.some((flag) => known.has(flag))),
    ],
  };
}

/** What a value of an option must look like, by the program. */
function patternOf({ flags, value }: PageOption, program: string): string | undefined {
  const flag = flags.find((one) => TEXTS[program]?.[one] !== undefined);
  return flag === undefined ? ADDRESSES[program]?.[value?.name ?? ''] : TEXTS[program]?.[flag];
}

/** `git update-ref -d <refname>`: whether what follows a letter in the usage is a word of the command, and the letter a switch. */
function takesNextWord({ flags, value, description }: PageOption, words: readonly PagePositional[]): boolean {
  if (value === undefined || description === '' || !flags.every((flag) => /^-[A-Za-z]$/.test(flag))) return false;
  const name = value.name.toLowerCase();
  const isWord = words.some((word) => word.name.toLowerCase().startsWith(name));
  return (
    name.length > 2 &&
    isWord &&
    !description
      .toLowerCase()
      .split(/[^a-z-]+/)
      .includes(name)
  );
}

/** `jq --args FILTER a b`: what words are that an option makes something else than files. */
function describeMixed({ name, description }: PagePositional, options: readonly PageOption[]): string {
  if (description !== '' || !/^files?$/i.test(name)) return description;
  const others = options.filter(({ description: text }) => /\bremaining arguments are\b.*\bnot files\b/i.test(text));
  const flags = others.map(({ flags: [flag = ''] }) => flag.replace(/^-+/, ''));
  return flags.length === 0 ? '' : `Files; with ${flags.join(' or ')}, the values it speaks of`;
}

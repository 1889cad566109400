/** Names of what an option takes. */
const THING = String.raw`(?:arguments?|values?|parameters?|strings?|names?|numbers?|integers?|files?(?:names?)?|paths?|director(?:y|ies)|lists?|patterns?|expressions?|formats?|options?|releases?|architectures?|commands?|programs?|scripts?|urls?|uris?|hosts?|ports?|users?|keys?|types?|levels?|sizes?|words?)`;

/** Texts that tell of a value. Each of them would say less if the option were a switch. */
const SPEAKS: readonly RegExp[] = [
  // `This option takes a list of packages`, `which requires an argument`.
  new RegExp(
    String.raw`\b(?:takes|requires|accepts|expects|needs|(?:must|should) be followed by|is followed by)\b(?: \S+){0,3} ${THING}\b`,
    'i',
  ),
  // `Configuration File; Specify a configuration file to use.`
  /(?:^|[.;:]\s+)specif(?:y|ies)\b(?! that\b)/i,
  /^(?:use this option to |this (?:option|flag|switch) )(?:specif|controls?\b|sets?\b|define|select|choose|names?\b|gives?\b|determines?\b|indicates? (?:the|which|what)\b|allows? (?:you|one|the user) to (?:specify|set|choose|select)\b)/i,
  /^(?:sets?|defines?|assigns?|gives?) (?:an?|which|what|the (?:name|number|value|path|file|list|type|size|maximum|minimum|default|format|level))\b/i,
  /^(?:selects?|chooses?) (?:an?|the|which|what)\b/i,
  // `the specified release string`, `the given file`.
  new RegExp(
    String.raw`\b(?:given|specified|supplied|provided) (?:\w+ )?(?:argument|value|parameter|string|name|number|file(?:name)?|path|directory|list|pattern|release|command|program|script|url|host|port|user|key|type|level|size)\b`,
    'i',
  ),
  new RegExp(String.raw`\b(?:argument|value|parameter) (?:of|to|for|given to) this (?:option|flag)\b`, 'i'),
  /\bthe (?:argument|value|syntax) (?:is|must|should|can|may|has)\b/i,
  /\bone of the following\b|\b(?:can|must|may) be one of\b|\b(?:possible|valid|allowed|supported) values\b/i,
  // `Default: 10`, `The default is "auto"`.
  /\bdefault(?:s to| is|:|=| value is)\s*(?:["'‘“]|[-+]?\d)/i,
  // A thing, and not what is done: `Configuration file`, `number of seconds to wait`; not `number all lines`.
  new RegExp(
    String.raw`^(?:(?:an?|the) )?(?:(?:config(?:uration)?|input|output|log|key|host|target|default|maximum|minimum|max|min|alternate|user|remote|local|comma[- ]separated|regular|shell) )*${THING}(?= (?:of|to|for|in|from|that|which|with|used|containing)\b|\s*(?:[.,;(]|$))`,
    'i',
  ),
];

/** Whether the text about an option that is written without a value tells of one, so that the next word may be its value. */
export function speaksOfValue(flags: readonly string[], text: string): boolean {
  // `--no-list-cleanup` turns something off.
  if (flags.some((flag) => flag.startsWith('--no-'))) return false;
  return SPEAKS.some((pattern) => pattern.test(text)) || flags.some((flag) => isShownWithValue(flag, text));
}

/** `-o Foo::Bar=bar`, `-t '2.1*'`, `--level=9`: the flag in its own text, with a value behind it. */
function isShownWithValue(flag: string, text: string): boolean {
  const escaped = flag.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(
    String.raw`(?<![\w-])${escaped}(?:=[^\s=]|\s+(?:["'‘“<]\S|[^\s,.;:()-][^\s,;()]*(?:::|=)\S|\d))`,
  ).test(text);
}

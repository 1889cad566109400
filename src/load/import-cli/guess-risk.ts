import type { CommandPage, PageOption } from './command-page.ts';

/** What a command seems to do to the world, and the word that says so. */
export interface RiskGuess {
  readonly risk: 'read' | 'destructive';
  /** The word from which it was guessed. */
  readonly from: string;
  /** Whether it only lists when it is given nothing, and does other things with arguments. */
  readonly isListing?: true;
}

/** What a call with an option may do more, and what says so. */
interface OptionRisk {
  readonly risk: 'write' | 'destructive';
  readonly from: string;
}

/**
 * Words for what deletes, stops or overwrites something, makes it public for good, or runs a program that the call names. A person
 * should have a word in each; what only adds or sets something is left to the board's policy.
 */
const DESTRUCTIVE =
  /^(?:(?:rm|rmi|remove|delete|del|destroy|prune|purge|drop|clean|reset|kill|uninstall|unpublish|wipe|erase|format|drain|evict|revoke|force-unlock|leave|gc|shutdown|reboot|poweroff|halt|truncate|clear|terminate|deregister|rb|rmdir|expire|discard|kexec|emergency|rescue|isolate|switch-root|filter-branch|abandon|stop|restart|down|undo|rollback|checkout|restore|replace|publish|exec|shell|eval|ssh)|(?:delete|remove|destroy|purge|terminate|deregister|revoke|drop|stop|restart|force|try|reload-or|try-reload-or)-.+)$/;
const DESTRUCTIVE_PROGRAM =
  /^(?:rm|rmdir|shred|dd|mkfs(?:\..*)?|wipefs|kill|killall|pkill|mv|cp|rsync|truncate|tee|reboot|shutdown|poweroff|halt|sh|bash|dash|zsh|fish|ksh|python\d?(?:\.\d+)?|node|deno|bun|perl|ruby|php|awk|gawk|mawk|sed|make|sudo|doas|su|env|xargs|parallel|ssh|scp|sftp|nohup|setsid|timeout|watch|npx|uvx|curl|wget)$/;
/** Programs without subcommands that only look. */
const READ_PROGRAM =
  /^(?:cat|find|ls|du|df|wc|head|tail|stat|file|grep|egrep|fgrep|rg|uptime|free|uname|id|whoami|groups|pgrep|lsof|lsblk|lscpu|nproc|arch|md5sum|sha1sum|sha256sum|sha512sum|cksum|basename|dirname|realpath|readlink|dig|nslookup|ps|jq|which|whereis|whatis|apropos|man|date|cal|cut|tr|uniq|nl|comm|diff|cmp|od|strings|column|pstree|hostname)$/;
const READ =
  /^(?:(?:ls|list|ll|get|show|view|describe|inspect|status|logs?|diff|history|info|version|search|find|cat|top|ps|images|stats|port|explain|events|outdated|query|whoami|api-resources|api-versions|cluster-info|can-i|output|graph|providers|validate|ping|doctor|df|check|checks|blame|grep|shortlog|rev-parse|is-active|is-enabled|is-failed|cat-file|rev-list|tree|root|prefix|fund|current-context|view-last-applied|sbom|about)|(?:get|list|describe|show|search|ls|lookup|head)-.+)$/;
/** First words of texts that tell of looking. */
const LOOKS =
  /^(?:experimental: )?(?:display|show|list|print|view|get|fetch|inspect|describe|search|find|return|output|check|compare|diff|retrieve|report|validate|look|see|explain|count|examine|query|access|determine|returns|lists|shows|displays|prints|gets|describes|retrieves|searches)\b/i;
/** Texts that speak of a change. */
const CHANGES =
  /\b(?:install|upgrad|updat|creat|delet|remov|writ(?:e|es|ing)\b|modif|edit|set(?:s|ting)?\b|chang|add(?:s|ing)?\b|push|upload|download|mov(?:e|es|ing)\b|renam|replac|start(?:s|ing)?\b|stop(?:s|ping)?\b|restart|run(?:s|ning)?\b|execut(?:e|es|ing)\b|apply|applies|merg|register|log ?in|authenticat|enabl|disabl|open(?:s)?\b)/i;
const AND_CHANGES = new RegExp(String.raw`\b(?:and|or|then|to)\s+${CHANGES.source}`, 'i');
/** Options that make a command write although its name says that it reads. */
const WRITING_FLAG =
  /^--?(?:delete|remove|write|fix|apply|edit|set|add|unset|replace|rename|move|prune|exec|output-file|out|outfile|output-directory|save|install|create|update|upload|fix-.*)$/;

/** Options with which a command deletes or overwrites. */
const DESTRUCTIVE_FLAG = /^--?(?:delete(?:-.+)?|remove|purge|discard(?:-changes)?|overwrite|erase|wipe)$/;
/** The same of a subcommand, and options with which it does what it refuses otherwise. */
const DESTROYING_FLAG =
  /^--?(?:(?:delete|remove|prune|discard|force|hard-reset|overwrite)(?:-.+)?|purge|erase|wipe|hard|mirror|destroy|clobber|reset|kill)$/;
const HARMLESS_FLAG = /^--(?:force-colou?r|force-tty|remove-empty|overwrite-ignore)$/;
const DESTROYING_TEXT =
  /^(?:(?:delet|overwrit|eras|wip)\w*|throw away)|\b(?:shortcut|same|short) (?:for|as)\b.*--(?:delete|force)\b|\beven if (?:not merged|(?:the )?target exists)\b/i;
/** Options that only say what is listed, and how. */
const LISTING_FLAG =
  /^(?:-n|--?(?:no-)?(?:list|all|remotes|verbose|quiet|colou?r|column|sort|format|merged|contains|points-at|show-current|ignore-case|omit-empty|abbrev|json|long|filter|limit|wide))$/;
const OVERWRITES = /\boverwrit(?:e|es|ing) (?:the |existing |output |any )*(?:files?|outputs?)\b/i;
/** Words of a command line that are a program to run. */
const PROGRAM_WORD = /^(?:commands?|cmd|program|executable|script|script_?file)$/i;
const RUNS = /\b(?:run|execute|invoke|launch)s?\b[^.]{0,30}\b(?:commands?|programs?|scripts?|shell)\b/i;
const START_OF_DETAILS = 200;
/** What `apply` is about where it changes what runs, and not a file. */
const APPLIES_TO = /\b(?:configuration|infrastructure|resources?|manifests?|cluster|migrations?|deployment)\b/i;

/** Guesses from a command's verb what it does; `undefined` where the word says nothing certain. */
export function guessRisk(page: CommandPage, about = ''): RiskGuess | undefined {
  const { command, summary, options } = page;
  const [program = '', ...words] = command.map((word) => word.split('/').at(-1) ?? word);
  if (words.length === 0) {
    if (DESTRUCTIVE_PROGRAM.test(program)) return { risk: 'destructive', from: program };
    return READ_PROGRAM.test(program) ? { risk: 'read', from: program } : guessFromOptions(page, about);
  }
  const destroys = words.findLast((word) => DESTRUCTIVE.test(word));
  if (destroys !== undefined) return { risk: 'destructive', from: destroys };
  const last = words.at(-1) ?? '';
  const has = (pattern: RegExp): string | undefined =>
    options.flatMap(({ flags }) => flags).find((flag) => pattern.test(flag));
  const worst = last === 'push' ? has(/^--(?:force|mirror|delete)$/) : has(/^--?destroy$/);
  if (worst !== undefined && /^(?:push|apply|up|deploy|sync)$/.test(last)) {
    return { risk: 'destructive', from: `${last} ${worst}` };
  }
  if (last === 'apply' && APPLIES_TO.test(about || summary)) return { risk: 'destructive', from: last };
  // A wrong "read" may let a change pass unasked: the text has to agree, and no option may write.
  const verb = words.findLast((word) => READ.test(word));
  const text = (about || summary).replace(/^[a-z][a-z -]*: /, '').split(/(?<=\.)\s/, 1)[0] ?? '';
  const isLook = verb !== undefined && text !== '' && has(WRITING_FLAG) === undefined;
  const agrees = LOOKS.test(text) ? !AND_CHANGES.test(text) : verb === last && !CHANGES.test(text);
  if (isLook && agrees) return { risk: 'read', from: verb };
  return (
    guessFromOptions(page, about) ?? (lists(page, text) ? { risk: 'read', from: '--list', isListing: true } : undefined)
  );
}

/** Whether a command lists when it is given nothing: its text says that it lists, and it has an option that says the same. */
function lists({ positionals, options, oneOf }: CommandPage, text: string): boolean {
  return (
    /\blist\b/i.test(text) &&
    options.some(({ flags, value }) => flags.includes('--list') && value === undefined) &&
    oneOf.length === 0 &&
    !positionals.some(({ isRequired }) => isRequired) &&
    !options.some(({ isRequired }) => isRequired)
  );
}

/** Guesses what an option lets a subcommand do beyond the rest. Nothing for tools that only read, or destroy anyway. */
export function guessOptionRisk(option: PageOption, guess: RiskGuess | undefined): OptionRisk | undefined {
  if (guess !== undefined && guess.isListing !== true) return undefined;
  const { flags, description, global } = option;
  const [first = ''] = flags;
  if (global !== undefined || flags.some((flag) => HARMLESS_FLAG.test(flag))) return undefined;
  const destroys =
    flags.find((flag) => DESTROYING_FLAG.test(flag)) ??
    DESTROYING_TEXT.exec(description)?.[0] ??
    OVERWRITES.exec(description)?.[0];
  if (destroys !== undefined) return { risk: 'destructive', from: destroys };
  if (guess === undefined || flags.some((flag) => LISTING_FLAG.test(flag.replace(/=$/, '')))) return undefined;
  return { risk: 'write', from: first };
}

/** What the words and options of a command that does not only read can do. */
function guessFromOptions(page: CommandPage, about: string): RiskGuess | undefined {
  const { command, positionals, options, summary, details = '' } = page;
  if (/^(?:help|man|completion)$/.test(command.at(-1) ?? '')) return undefined;
  const program = positionals.find(({ name }) => PROGRAM_WORD.test(name));
  if (program !== undefined) return { risk: 'destructive', from: program.name };
  const runs = RUNS.exec(`${about || summary}. ${details.slice(0, START_OF_DETAILS)}`)?.[0];
  if (runs !== undefined) return { risk: 'destructive', from: runs };
  // A subcommand that can destroy with an option says so for the option.
  if (command.length > 1) return undefined;
  const worst = options.find(
    ({ flags, description }) => flags.some((flag) => DESTRUCTIVE_FLAG.test(flag)) || OVERWRITES.test(description),
  );
  return worst === undefined ? undefined : { risk: 'destructive', from: worst.flags[0] ?? '' };
}

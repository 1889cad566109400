import { findFact, hasTrait } from '../../packs/knowledge.ts';
import type { CommandPage } from '../command-page.ts';
import { placesElsewhere } from './value-risks.ts';

/**
 * Words for what deletes, stops or overwrites something, makes it public for good, or runs a program that the call names. A person
 * should have a word in each; what only adds or sets something is left to the board's policy.
 */
const DESTRUCTIVE =
  /^(?:(?:rm|rmi|remove|delete|del|destroy|prune|purge|drop|clean|reset|kill|uninstall|unpublish|wipe|erase|format|drain|evict|revoke|force-unlock|leave|gc|shutdown|reboot|poweroff|halt|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|exit|truncate|clear|terminate|deregister|rb|rmdir|expire|discard|kexec|emergency|rescue|isolate|switch-root|filter-branch|abandon|stop|cancel|freeze|restart|down|undo|rollback|restore|replace|publish|deprecate|exec|shell|eval|ssh|auto-?(?:remove|clean|purge))|(?:delete|remove|destroy|purge|terminate|deregister|revoke|drop|stop|restart|replace|force|try|reload-or|try-reload-or)-.+)$/;
/** Verbs that bring programs of strangers here, which run at once or later. */
const INSTALLS = /^(?:(?:[a-z]+-)?(?:install|reinstall|upgrade)(?:-.+)?|build-deps?|satisfy)$/;
/** Options of verbs that do the same under another name: `terraform init`. */
const INSTALLS_TEXT =
  /^(?:installs?(?: or upgrades?)? (?:the )?(?:latest |newest |remote )?|gets? (?:the )?(?:newer|latest|newest) )(?:\w+ )?(?:\w+ and )?(?:modules?|providers?|plugins?|extensions?)\b/i;
/** Says that scripts of packages run unless it is given. */
const RUNS_SCRIPTS = /^--(?:ignore-scripts|no-build-isolation)$/;
/** Verbs that have that option, and only look at packages. */
const SCRIPTLESS = /^(?:find-dupes|audit)$/;
/** Verbs that send something to where others see it, if the text says so. */
const SENDS = /^(?:push|merge|archive|transfer|send-.+|.+-send|send|sign)$/;
const ELSEWHERE =
  /\b(?:remotes?|registr(?:y|ies)|repositor(?:y|ies)|images?|(?:pull|merge) requests?|upload\w*|e-?mails?|imap)\b/i;
/** Verbs that change what is running, if the text says so. */
const CHANGES_LIVE =
  /^(?:(?:update|patch|scale|autoscale|deploy|taint|untaint|modify|resize|import|mask|unmask|preset|enable|reenable|disable|link|promote|demote)(?:-.+)?|set|pause|set-(?:property|default|environment)|import-environment|unlock|bind|mount-.+|add-(?:wants|requires)|revert|refresh)$/;
const LIVE =
  /\b(?:deployments?|replica\w*|pods?|pod templates?|services?|service account|stacks?|swarm|clusters?|nodes?|resources?|containers?|infrastructure|units?|(?:system|service) manager|remote systems|from the host|target|environment variables|environment block|plugins?)\b/i;
/** Objects of `apply` where it changes something that runs, not a file. */
const APPLIES_TO = /\b(?:configuration|infrastructure|resources?|manifests?|cluster|migrations?|deployment)\b/i;
/** Destruction that a text mentions in passing, or of the whole system. */
const DESTROYING_TEXT = /(?<=,\s)(?:publishing|removing|deleting|destroying)\b|\benter system \w+ mode\b/i;
/** Words for secrets that a command prints. */
const SECRET =
  /^(?!(?:list|describe|delete|set|put|update|revoke|remove|store)-)(?:.+-)?(?:token|password|secret-value|unlock-key|private-key|credentials?(?:-cache|-store)?)$/;
/** Words for rights, and verbs that give them: `npm owner add`, `kubectl create rolebinding`. */
const RIGHT =
  /^(?:(?:cluster)?roles?(?:-?bindings?)?|owners?|signers?|collaborators?|members?|access|org|team|iam|permissions?|acls?|tokens?|(?:api|access|deploy|ssh|gpg)-?keys?)$/;
const GIVES = /^(?:create|add|grant|set|assign|bind|invite|generate|issue)$/;
/** The same in one word, as cloud services have it: `assume-role`, `attach-role-policy`. */
const GIVES_RIGHT =
  /^(?:assume-r.+|(?:attach|put|set|add|create|grant|update)-(?:.+-)?(?:polic(?:y|ies)|policy-(?:binding|version)|acl|permissions?|access-key|login-profile|role|user-to-group|grants?))$/;
/** Verbs after which something is no longer where it was, if the text speaks of another place than this machine. */
const MOVES = /^(?:mv|move)$/;
const OTHER_PLACE = /\b(?:the state|objects?|buckets?|remotes?|servers?|cloud)\b/i;
/** Subcommands that write a file of settings here, and nothing that runs. */
const SETTINGS = /^(?:config|context|alias|profile)$/;

/** The word for which a person should be asked about each call of a subcommand: it destroys, publishes, runs or reveals something. */
export function findAskingWord({ command, options }: CommandPage, text: string): string | undefined {
  const words = command.slice(1);
  const last = words.at(-1) ?? '';
  const own = options.filter(({ global }) => global === undefined).flatMap(({ flags }) => flags);
  const hasFlag = (pattern: RegExp): string | undefined => own.find((flag) => pattern.test(flag));
  const isLive = !words.some((word) => SETTINGS.test(word)) && LIVE.test(text);
  const installing = options.find(({ global, description }) => global === undefined && INSTALLS_TEXT.test(description));
  const destroying = hasFlag(/^--?destroy$/);
  return (
    words.findLast((word) => DESTRUCTIVE.test(word)) ??
    (INSTALLS.test(last) || findFact(command, 'asks') === true ? last : undefined) ??
    installing?.flags[0] ??
    INSTALLS_TEXT.exec(text)?.[0] ??
    (SCRIPTLESS.test(last) ? undefined : hasFlag(RUNS_SCRIPTS)) ??
    (SENDS.test(last) && ELSEWHERE.test(text) ? last : undefined) ??
    (isLive ? words.find((word) => CHANGES_LIVE.test(word)) : undefined) ??
    (last === 'apply' && APPLIES_TO.test(text) ? last : undefined) ??
    DESTROYING_TEXT.exec(text)?.[0] ??
    (SECRET.test(last) ? last : undefined) ??
    (words.some((word) => RIGHT.test(word)) ? words.find((word) => GIVES.test(word)) : undefined) ??
    words.find((word) => GIVES_RIGHT.test(word)) ??
    (MOVES.test(last) && OTHER_PLACE.test(text) ? last : undefined) ??
    (destroying !== undefined && /^(?:apply|up|deploy|sync)$/.test(last) ? `${last} ${destroying}` : undefined)
  );
}

/** Options that only programs have which work on what others see or use too. */
const CLIENT_FLAG = /^--(?:kubeconfig|kube-context|endpoint-url|api-(?:server|url|endpoint))=?$/;
/** Subcommands of such programs that only work on this machine: on their own settings and on copies of what is elsewhere. */
const HERE =
  /^(?:config|configure|contexts?|alias|login|logout|refresh|switch|setup-git|completion|help|version|clone|checkout|download|pull|browse|watch|wait|dump|kustomize|template|lint|convert|set-default)$/;
/** Subcommands of package managers that change what is said about a package or an account where all see it. */
const PUBLIC = /^(?:dist-tag|tag|profile|star|unstar|trust|undeprecate|stage|hook|yank)$/;
/** A copy that stays elsewhere: `gh label clone`. */
const TO_OTHERS = /\bto another\b/i;
/** Verbs of changes where the last word only names the object: `kubectl create configmap`. */
const VERB = /^(?:create|set|add|apply|update|edit)$/;
/** Commands that let others in, or that speak with any server that a call names. */
const SERVES =
  /\b(?:(?:creates?|runs?|starts?|launch\w*|set up|is) (?:an? |the )?(?:[\w-]+ ){0,3}(?:proxy server|web ?server|http server|api server)|(?:really )?simple server for|server (?:side )?(?:implementation|emulator)|server which listens|client which connects to|(?:initiali[sz]e|join) a (?:swarm|cluster))\b/i;
/** Settings by which a program finds where to go and what to run. */
const OWN_SETTINGS = /^(?:config|configure|alias)$/;
const SETS = /^(?:set|add|create|import|set-(?!context$|default$).+)$/;

/** The word for a change that reaches beyond this machine and its user, or that later calls run or go by. */
export function findOutsideChange(page: CommandPage, text: string): string | undefined {
  const { command, options, positionals, details = '' } = page;
  const [program = '', ...words] = command;
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const serves = SERVES.exec(`${text}. ${details.slice(0, START_OF_DETAILS)}`)?.[0];
  if (serves !== undefined) return serves;
  // `npm set` is short for `npm config set`.
  const isSetting =
    words.some((word) => OWN_SETTINGS.test(word)) || (hasTrait(program, 'packages') && words[0] === 'set');
  if (isSetting && SETS.test(last) && positionals.length > 0) return last;
  if (words.some((word) => HERE.test(word)) && !TO_OTHERS.test(text)) return undefined;
  const verb = words.find((word) => VERB.test(word)) ?? last;
  if (hasTrait(program, 'packages')) return words.some((word) => PUBLIC.test(word)) ? verb : undefined;
  const isClient =
    hasTrait(program, 'remote') || options.some(({ flags }) => flags.some((flag) => CLIENT_FLAG.test(flag)));
  // Which way it copies is for its last word to say.
  return isClient && placesElsewhere(page) === undefined ? verb : undefined;
}

const START_OF_DETAILS = 200;

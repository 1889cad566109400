import { findFact, hasTrait } from '../../packs/knowledge.ts';
import type { CommandPage } from '../command-page.ts';
import { placesElsewhere } from './value-risks.ts';

/**
 * Words for deleting, stopping, overwriting, publishing, or running a program named in the call. Each needs a person's decision;
 * commands that only add or set something are left to the board's policy.
 */
const DESTRUCTIVE =
  /^(?:(?:rm|rmi|remove|delete|del|destroy|prune|purge|drop|clean|reset|kill|uninstall|unpublish|wipe|erase|format|drain|evict|revoke|force-unlock|leave|gc|shutdown|reboot|poweroff|halt|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|exit|truncate|clear|terminate|deregister|rb|rmdir|expire|discard|kexec|emergency|rescue|isolate|switch-root|filter-branch|abandon|stop|cancel|freeze|restart|down|undo|rollback|restore|replace|publish|deprecate|exec|shell|eval|ssh|auto-?(?:remove|clean|purge))|(?:delete|remove|destroy|purge|terminate|deregister|revoke|drop|stop|restart|replace|force|try|reload-or|try-reload-or)-.+)$/;
/** Verbs that install third-party programs, which run at once or later. */
const INSTALLS = /^(?:(?:[a-z]+-)?(?:install|reinstall|upgrade)(?:-.+)?|build-deps?|satisfy)$/;
/** Texts of verbs that do the same under another name: `terraform init`. */
const INSTALLS_TEXT =
  /^(?:installs?(?: or upgrades?)? (?:the )?(?:latest |newest |remote )?|gets? (?:the )?(?:newer|latest|newest) )(?:\w+ )?(?:\w+ and )?(?:modules?|providers?|plugins?|extensions?)\b/i;
/** Without this option, scripts of packages run. */
const RUNS_SCRIPTS = /^--(?:ignore-scripts|no-build-isolation)$/;
/** Verbs with that option that only inspect packages. */
const SCRIPTLESS = /^(?:find-dupes|audit)$/;
/** Verbs that send something to others, if the text says so. */
const SENDS = /^(?:push|merge|archive|transfer|send-.+|.+-send|send|sign)$/;
const ELSEWHERE =
  /\b(?:remotes?|registr(?:y|ies)|repositor(?:y|ies)|images?|(?:pull|merge) requests?|upload\w*|e-?mails?|imap)\b/i;
/** Verbs that change running systems, if the text says so. */
const CHANGES_LIVE =
  /^(?:(?:update|patch|scale|autoscale|deploy|taint|untaint|modify|resize|import|mask|unmask|preset|enable|reenable|disable|link|promote|demote)(?:-.+)?|set|pause|set-(?:property|default|environment)|import-environment|unlock|bind|mount-.+|add-(?:wants|requires)|revert|refresh)$/;
const LIVE =
  /\b(?:deployments?|replica\w*|pods?|pod templates?|services?|service account|stacks?|swarm|clusters?|nodes?|resources?|containers?|infrastructure|units?|(?:system|service) manager|remote systems|from the host|target|environment variables|environment block|plugins?)\b/i;
/** Objects of `apply` that are running systems rather than files. */
const APPLIES_TO = /\b(?:configuration|infrastructure|resources?|manifests?|cluster|migrations?|deployment)\b/i;
/** Destruction that a text mentions in passing, or of the whole system. */
const DESTROYING_TEXT = /(?<=,\s)(?:publishing|removing|deleting|destroying)\b|\benter system \w+ mode\b/i;
/** Words for secrets that a command prints. */
const SECRET =
  /^(?!(?:list|describe|delete|set|put|update|revoke|remove|store)-)(?:.+-)?(?:token|password|secret-value|unlock-key|private-key|credentials?(?:-cache|-store)?)$/;
/** Words for permissions, and verbs that grant them: `npm owner add`, `kubectl create rolebinding`. */
const RIGHT =
  /^(?:(?:cluster)?roles?(?:-?bindings?)?|owners?|signers?|collaborators?|members?|access|org|team|iam|permissions?|acls?|tokens?|(?:api|access|deploy|ssh|gpg)-?keys?)$/;
const GIVES = /^(?:create|add|grant|set|assign|bind|invite|generate|issue)$/;
/** The same in one word, as cloud services write it: `assume-role`, `attach-role-policy`. */
const GIVES_RIGHT =
  /^(?:assume-r.+|(?:attach|put|set|add|create|grant|update)-(?:.+-)?(?:polic(?:y|ies)|policy-(?:binding|version)|acl|permissions?|access-key|login-profile|role|user-to-group|grants?))$/;
/** Verbs that move something away, if the text mentions a place other than this machine. */
const MOVES = /^(?:mv|move)$/;
const OTHER_PLACE = /\b(?:the state|objects?|buckets?|remotes?|servers?|cloud)\b/i;
/** Subcommands that write local settings and affect nothing that runs. */
const SETTINGS = /^(?:config|context|alias|profile)$/;

/**
 * Finds the word because of which each call of a subcommand needs approval: it destroys, publishes, runs or reveals something.
 */
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

/** Options that occur only in programs for shared systems. */
const CLIENT_FLAG = /^--(?:kubeconfig|kube-context|endpoint-url|api-(?:server|url|endpoint))=?$/;
/** Subcommands of such programs that work only on this machine: on their own settings and on copies of remote data. */
const HERE =
  /^(?:config|configure|contexts?|alias|login|logout|refresh|switch|setup-git|completion|help|version|clone|checkout|download|pull|browse|watch|wait|dump|kustomize|template|lint|convert|set-default)$/;
/** Subcommands of package managers that change the public data of a package or an account. */
const PUBLIC = /^(?:dist-tag|tag|profile|star|unstar|trust|undeprecate|stage|hook|yank)$/;
/** A copy that stays elsewhere: `gh label clone`. */
const TO_OTHERS = /\bto another\b/i;
/** Verbs of changes whose last word only names the object: `kubectl create configmap`. */
const VERB = /^(?:create|set|add|apply|update|edit)$/;
/** Commands that accept connections, or that talk to any server named in the call. */
const SERVES =
  /\b(?:(?:creates?|runs?|starts?|launch\w*|set up|is) (?:an? |the )?(?:[\w-]+ ){0,3}(?:proxy server|web ?server|http server|api server)|(?:really )?simple server for|server (?:side )?(?:implementation|emulator)|server which listens|client which connects to|(?:initiali[sz]e|join) a (?:swarm|cluster))\b/i;
/** Settings that determine where a program connects and what it runs. */
const OWN_SETTINGS = /^(?:config|configure|alias)$/;
const SETS = /^(?:set|add|create|import|set-(?!context$|default$).+)$/;

/** Finds the word for a change beyond this machine and its user, or one that later calls run or rely on. */
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
  // The last word determines the direction of the copy.
  return isClient && placesElsewhere(page) === undefined ? verb : undefined;
}

const START_OF_DETAILS = 200;

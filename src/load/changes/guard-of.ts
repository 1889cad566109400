/** The way in which a part of a board file is guarded. */
export interface Guard {
  /** True when people must not see its value. */
  readonly isHidden?: boolean;
  /** True when only its name counts, as with headers: their values are logins that are renewed. */
  readonly isName?: boolean;
  /** True when the content of a secret file in it may change: secrets are renewed. */
  readonly rotates?: boolean;
  /** True when it may disappear without a question. */
  readonly mayGo?: boolean;
  /** The number of keys that lead to the part that it is new or gone with. */
  readonly whole?: number;
}

/** Sections that are guarded as a whole: they judge calls, record them, or name the place where decisions are stored. */
const SECTIONS: Readonly<Record<string, Guard>> = {
  policy: {},
  lock: {},
  data: {},
  // An address may contain a password.
  store: { isHidden: true },
  // Servers run there that name no folder.
  working_dir: {},
  record: {},
  audit: { isHidden: true },
};

/** Keys of a server that change neither what starts nor what is allowed. */
const HARMLESS_IN_SERVERS: ReadonlySet<unknown> = new Set([
  'description',
  'category',
  'tags',
  'timeout',
  'start_timeout',
  'idle',
  'max_output',
  'max_media',
  'max_frame',
  'instructions',
  'protocol',
  'version',
  'gallery',
  'dev',
]);

/** Keys of a server's tool that only describe it. */
const HARMLESS_IN_TOOLS: ReadonlySet<unknown> = new Set([
  'title',
  'description',
  'category',
  'tags',
  'timeout',
  'max_output',
  'max_media',
]);

/** Keys of `serve` that decide nothing about who may call and who approves. */
const HARMLESS_IN_SERVE: ReadonlySet<unknown> = new Set([
  'name',
  'instructions',
  'mode',
  'token_budget',
  'compat',
  'describe_tools',
  'first_list',
  'publish',
]);

/**
 * Returns how the value at a path is guarded; `undefined` when its change needs no person. Guarded are rules, code that runs without a call,
 * and what servers are started with. Tools are not: the policy, their risk and the lock judge each call.
 */
export function guardOf(path: readonly (string | number)[]): Guard | undefined {
  const [section = '', name, key, item, part] = path;
  switch (section) {
    case 'mcpServers':
      return guardOfServer(key, { item, part });
    case 'variables': {
      const runs = key === 'secret' && (item === 'command' || item === 'keychain');
      return runs && name !== undefined ? { mayGo: true, whole: 2 } : undefined;
    }
    case 'serve':
      if (HARMLESS_IN_SERVE.has(name)) return undefined;
      return name === 'token' ? { isHidden: true } : {};
    default:
      return Object.hasOwn(SECTIONS, section) ? SECTIONS[section] : undefined;
  }
}

function guardOfServer(
  key: unknown,
  { item, part }: { readonly item: unknown; readonly part: unknown },
): Guard | undefined {
  const whole = 2;
  if (HARMLESS_IN_SERVERS.has(key)) return undefined;
  if (key === 'tools' && item !== undefined && HARMLESS_IN_TOOLS.has(part)) return undefined;
  if (key === 'headers') return { isName: true, whole };
  if (key === 'env') return { isHidden: true, rotates: true, whole };
  if (key === 'oauth') return { isHidden: true, rotates: true, whole };
  return { whole };
}

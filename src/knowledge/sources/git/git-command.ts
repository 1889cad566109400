import { lookup } from 'node:dns/promises';
import { readdirSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childEnvironment } from '../../../platform/process/child-environment.ts';
import { ALL_TOOLS, type EgressPolicy } from '../../../platform/http/egress.ts';
import { runProcess } from '../../../platform/process/run-process.ts';
import { ToolError } from '../../../tool/tool-error.ts';

/** Where a repository is, and what may be done to reach it. */
export interface Remote {
  /** An address, `user@host:path`, or the absolute path of a repository of this machine. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly egress: EgressPolicy;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

const FETCH_TIMEOUT = 600_000;
const LONGEST_REASON = 300;
const MAX_TOLD = 10_000;
/** Bytes that a command may print: folders that hold each other many times list billions of files from a few kilobytes. */
const MAX_PRINTED = 64_000_000;
/** Nothing that a repository or a setting of the machine could have git run. */
const PLAIN = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'transfer.bundleURI=false',
  // Everything in one file, whose size is looked at.
  'fetch.unpackLimit=1',
  // A blob that is left out anyway is never in memory as a whole.
  'core.bigFileThreshold=20m',
].flatMap((setting) => ['-c', setting]);
/** Variables that reach a person's keys and settings. */
const PASSED = ['SSH_AUTH_SOCK', 'XDG_CONFIG_HOME'];

/** A bare repository of its own, into which one revision of another is fetched. */
export class GitCommand {
  readonly #folder: string;
  readonly #remote: Remote;
  readonly #protocol: 'https' | 'http' | 'ssh' | 'file';

  constructor(folder: string, remote: Remote) {
    this.#folder = folder;
    this.#remote = remote;
    const scheme = /^(https?|ssh):/i.exec(remote.url)?.[1]?.toLowerCase();
    this.#protocol =
      scheme === 'https' || scheme === 'http' || scheme === 'ssh' ? scheme : isScp(remote.url) ? 'ssh' : 'file';
  }

  /** Makes the repository. Throws where the egress policy does not allow the host. */
  async init(): Promise<void> {
    const pinned = await this.#checkHost();
    await this.run(['init', '--bare', '--quiet', '--template=', this.#folder]);
    const lines = ['[core]', '\tbare = true', '[remote "source"]', `\turl = ${quote(this.#remote.url)}`];
    // A redirect would be followed without a look at where it leads.
    if (pinned !== '') lines.push('[http]', '\tfollowRedirects = false', `\tcurloptResolve = ${quote(pinned)}`);
    await writeFile(join(this.#folder, 'config'), `${lines.join('\n')}\n`, { mode: 0o600 });
  }

  /** Forgets where the repository came from: nothing is fetched any more. */
  async detach(): Promise<void> {
    await writeFile(join(this.#folder, 'config'), '[core]\n\tbare = true\n', { mode: 0o600 });
  }

  /** Runs a command that reaches the other repository; gives what it printed. */
  reach(args: readonly string[]): Promise<Buffer> {
    return this.run(args, undefined, this.#headers());
  }

  /** Runs git in the repository; gives what it printed. */
  async run(args: readonly string[], stdin?: string, more: Readonly<Record<string, string>> = {}): Promise<Buffer> {
    const { signal, maxBytes } = this.#remote;
    const timeout = AbortSignal.timeout(FETCH_TIMEOUT);
    const flood = new AbortController();
    const chunks: Buffer[] = [];
    let printed = 0;
    let told = '';
    const outcome = await runProcess({
      file: 'git',
      args: [...PLAIN, ...args],
      cwd: this.#folder,
      env: childEnvironment({ allowed: PASSED, from: process.env, set: { ...this.#environment(), ...more } }),
      stdin,
      signal: AbortSignal.any([timeout, flood.signal, ...(signal === undefined ? [] : [signal])]),
      capture: { limit: 65_536 },
      findExceeded: () => (this.#size() > maxBytes ? 'fileSize' : undefined),
      onOutput: (chunk, stream) => {
        if (stream === 'stdout') {
          printed += chunk.length;
          if (printed > MAX_PRINTED) flood.abort();
          else chunks.push(chunk);
        } else if (told.length < MAX_TOLD) told += chunk.toString();
      },
    });
    signal?.throwIfAborted();
    if (flood.signal.aborted) throw fail('It has far more files than documents of people. Name a folder of it: path.');
    if (outcome.type === 'failed') {
      const isMissing = outcome.reason === 'not_found';
      throw fail(isMissing ? 'git is not installed. Install it to read repositories.' : outcome.message);
    }
    if (outcome.exceeded !== undefined || this.#size() > maxBytes)
      throw fail(`It has more than ${maxBytes} bytes. Raise max_bytes.`);
    if (timeout.aborted) throw fail(`It took longer than ${FETCH_TIMEOUT / 60_000} minutes.`);
    if (outcome.code !== 0) throw fail(explain(told));
    return Buffer.concat(chunks);
  }

  /** The headers as variables, for their origin alone: on disk they could be left behind, as arguments others see them. */
  #headers(): Record<string, string> {
    const { url, headers } = this.#remote;
    const entries = this.#protocol === 'https' || this.#protocol === 'http' ? Object.entries(headers) : [];
    const settings = entries.flatMap(([name, value], place) => {
      if (/[\r\n\0]/.test(name + value)) throw fail('A header of the source has a line break.');
      const key = `http.${new URL(url).origin}/.extraHeader`;
      return [[`GIT_CONFIG_KEY_${place}`, key] as const, [`GIT_CONFIG_VALUE_${place}`, `${name}: ${value}`] as const];
    });
    return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(settings) };
  }

  /** Bytes that were fetched. */
  #size(): number {
    try {
      const folder = join(this.#folder, 'objects', 'pack');
      const sizes = readdirSync(folder).map(
        (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
      );
      return sizes.reduce((sum, size) => sum + size, 0);
    } catch {
      return 0;
    }
  }

  #environment(): Record<string, string> {
    return {
      GIT_DIR: this.#folder,
      GIT_ALLOW_PROTOCOL: this.#protocol,
      // No person is there to answer.
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: 'true',
      SSH_ASKPASS: 'true',
      GCM_INTERACTIVE: 'never',
      GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=20',
      GIT_LFS_SKIP_SMUDGE: '1',
      GIT_OPTIONAL_LOCKS: '0',
      // A repository of this machine may name a command that would bring what it lacks.
      GIT_NO_LAZY_FETCH: '1',
      // A few bytes of a pack can ask for an object of gigabytes.
      GIT_ALLOC_LIMIT: '256m',
      LC_ALL: 'C',
    };
  }

  /** Checks where the host is; gives the addresses that git is held to. */
  async #checkHost(): Promise<string> {
    if (this.#protocol === 'file') return '';
    const { url, egress } = this.#remote;
    const { hostname, port: written } = new URL(isScp(url) ? `ssh://${url.replace(':', '/')}` : url);
    const port = Number(written) || { https: 443, http: 80, ssh: 22 }[this.#protocol];
    const name = hostname.replace(/^\[|\]$/g, '');
    const addresses = (await lookup(name, { all: true }).catch(() => [])).map(({ address }) => address);
    if (addresses.length === 0) throw fail(`The name of its host, ${name}, cannot be resolved.`);
    for (const address of addresses) {
      const refusal = egress.checkAddress(address, { hostname, port });
      if (refusal !== undefined)
        throw fail(refusal.message.replace(`of the tool${ALL_TOOLS}`, 'of the source'), 'permission_denied');
    }
    return `${hostname}:${port}:${addresses.map((each) => (each.includes(':') ? `[${each}]` : each)).join(',')}`;
  }
}

function isScp(url: string): boolean {
  return /^[\w.-]+@[\w.-]+:(?!\/\/)/.test(url);
}

/** A value of git's config file. */
function quote(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`;
}

function fail(message: string, code: 'upstream_unavailable' | 'permission_denied' = 'upstream_unavailable'): ToolError {
  return new ToolError({ code, message });
}

/** What git says, in one sentence. */
function explain(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^(?:fatal|error|remote):/.test(line));
  const text = (lines.length > 0 ? lines : stderr.split('\n')).join(' ').replaceAll(/\s+/g, ' ').trim();
  return `git says: ${text.slice(0, LONGEST_REASON)}`;
}

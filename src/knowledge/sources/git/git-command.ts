import { lookup } from 'node:dns/promises';
import { readdirSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childEnvironment } from '../../../platform/process/child-environment.ts';
import { ALL_TOOLS, type EgressPolicy } from '../../../platform/http/egress.ts';
import { runProcess } from '../../../platform/process/run-process.ts';
import { ToolError } from '../../../tool/tool-error.ts';

/** The address of a repository, with the limits for reaching it. */
interface Remote {
  /** A URL, `user@host:path`, or the absolute path of a repository on this machine. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly egress: EgressPolicy;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

const FETCH_TIMEOUT = 600_000;
const LONGEST_REASON = 300;
const MAX_ERROR_TEXT = 10_000;
/** Bytes that a command may print: a few kilobytes of nested folders can list billions of files. */
const MAX_PRINTED = 64_000_000;
/** Settings that keep git from running anything that a repository or the machine's settings name. */
const PLAIN = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'transfer.bundleURI=false',
  // Puts everything into one file, whose size is checked.
  'fetch.unpackLimit=1',
  // Large blobs, which are skipped anyway, are never in memory as a whole.
  'core.bigFileThreshold=20m',
].flatMap((setting) => ['-c', setting]);
/** Variables for a person's keys and settings. */
const PASSED = ['SSH_AUTH_SOCK', 'XDG_CONFIG_HOME'];

/** A temporary bare repository, into which one revision of another is fetched. */
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

  /** Creates the repository. Throws if the egress policy denies the host. */
  async init(): Promise<void> {
    const pinned = await this.#checkHost();
    await this.run(['init', '--bare', '--quiet', '--template=', this.#folder]);
    const lines = ['[core]', '\tbare = true', '[remote "source"]', `\turl = ${quote(this.#remote.url)}`];
    // Git would follow a redirect without checking its target.
    if (pinned !== '') lines.push('[http]', '\tfollowRedirects = false', `\tcurloptResolve = ${quote(pinned)}`);
    await writeFile(join(this.#folder, 'config'), `${lines.join('\n')}\n`, { mode: 0o600 });
  }

  /** Removes the address of the remote, so that nothing more is fetched. */
  async detach(): Promise<void> {
    await writeFile(join(this.#folder, 'config'), '[core]\n\tbare = true\n', { mode: 0o600 });
  }

  /** Runs a command that contacts the remote. Returns its output. */
  reach(args: readonly string[]): Promise<Buffer> {
    return this.run(args, undefined, this.#headers());
  }

  /** Runs git in the repository. Returns its output. */
  async run(args: readonly string[], stdin?: string, more: Readonly<Record<string, string>> = {}): Promise<Buffer> {
    const { signal, maxBytes } = this.#remote;
    const timeout = AbortSignal.timeout(FETCH_TIMEOUT);
    const flood = new AbortController();
    const chunks: Buffer[] = [];
    let printed = 0;
    let errors = '';
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
        } else if (errors.length < MAX_ERROR_TEXT) errors += chunk.toString();
      },
    });
    signal?.throwIfAborted();
    if (flood.signal.aborted) throw fail('It has too many files. Select a folder of it with path.');
    if (outcome.type === 'failed') {
      const isMissing = outcome.reason === 'not_found';
      throw fail(isMissing ? 'git is not installed. Install it to read repositories.' : outcome.message);
    }
    if (outcome.exceeded !== undefined || this.#size() > maxBytes)
      throw fail(`It has more than ${maxBytes} bytes. Raise max_bytes.`);
    if (timeout.aborted) throw fail(`It took longer than ${FETCH_TIMEOUT / 60_000} minutes.`);
    if (outcome.code !== 0) throw fail(explain(errors));
    return Buffer.concat(chunks);
  }

  /** Passes headers as variables, only for their origin: files could be left behind, and arguments are visible to others. */
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

  /** Returns the number of bytes fetched. */
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
      // A local repository may name a command that fetches missing objects.
      GIT_NO_LAZY_FETCH: '1',
      // A few bytes of a pack can ask for an object of gigabytes.
      GIT_ALLOC_LIMIT: '256m',
      LC_ALL: 'C',
    };
  }

  /** Checks the addresses of the host. Returns the ones that git may use. */
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

/** Quotes a value for git's config file. */
function quote(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`;
}

function fail(message: string, code: 'upstream_unavailable' | 'permission_denied' = 'upstream_unavailable'): ToolError {
  return new ToolError({ code, message });
}

/** Shortens git's messages to one sentence. */
function explain(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^(?:fatal|error|remote):/.test(line));
  const text = (lines.length > 0 ? lines : stderr.split('\n')).join(' ').replaceAll(/\s+/g, ' ').trim();
  return `git says: ${text.slice(0, LONGEST_REASON)}`;
}

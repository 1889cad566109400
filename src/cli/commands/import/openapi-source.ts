import { realpathSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { load } from 'js-yaml';
import { bundleDocument } from '../../../import/openapi/bundle-document.ts';
import { countParts, isDeeperThan } from '../../../import/openapi/break-loops.ts';
import { createEgressPolicy } from '../../../platform/http/egress.ts';
import { createHttpClient } from '../../../platform/http/http-client.ts';
import { sendRequest } from '../../../platform/http/send-request.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { CliContext } from '../../shared/cli-context.ts';

/** A document together with those that it refers to. */
export interface ReadDocument {
  readonly document: unknown;
  /** The address it came from, without credentials and query. */
  readonly url: string | undefined;
  readonly notes: readonly string[];
}

const MAX_BYTES = 60_000_000;
const PATIENCE = 60_000;
/** The limit of objects, lists and values in a YAML document, whose aliases can repeat parts. */
const MAX_PARTS = 20_000_000;
/** The depth limit of a JSON document; YAML has its own limit. */
const MAX_LEVELS = 500;

/** Reads a JSON or YAML document from a file or an address, with the nearby documents that it refers to. */
export async function readDocument(
  source: string,
  headers: Readonly<Record<string, string>>,
  context: Pick<CliContext, 'cwd' | 'signal'>,
): Promise<ReadDocument> {
  if (!/^https?:\/\//i.test(source)) {
    const read = async (url: URL): Promise<unknown> => {
      const file = fileURLToPath(url);
      // A person may name a pipe; a document must not, because some devices never end.
      const stats = await stat(file).catch(() => undefined);
      if (stats !== undefined && (!stats.isFile() || stats.size > MAX_BYTES)) {
        const message = `it is not a file of up to ${MAX_BYTES / 1e6} MB.`;
        throw new ToolError({ code: 'invalid_arguments', message });
      }
      checkPlace(file, [dirname(path), context.cwd]);
      return readText(file, file);
    };
    const path = resolve(context.cwd, source);
    const document = await readText(path, source);
    return { document, url: undefined, notes: await bundleDocument({ document, url: pathToFileURL(path).href, read }) };
  }
  const address = new URL(source);
  // The person named this host; redirects may lead only to public hosts.
  const client = createHttpClient({ egress: createEgressPolicy({ allow: [address.host] }) });
  try {
    let base = address.href;
    const read = async (url: URL): Promise<unknown> => {
      const isFirst = url === address;
      const own = url.origin === address.origin ? headers : {};
      const outcome = await sendRequest(
        { method: 'GET', url: url.href, headers: { accept: ACCEPT, 'user-agent': 'pegboard', ...own } },
        // References start at the final address: a redirect must not decide where the person's headers go.
        {
          client,
          signal: context.signal,
          timeout: PATIENCE,
          maxBytes: MAX_BYTES,
          redirects: isFirst ? 'any' : 'same-origin',
          retries: 2,
        },
      );
      const shown = outcome.url;
      if (isFirst && new URL(shown).origin !== address.origin) base = shown;
      const { body } = outcome;
      if (!outcome.ok) {
        const hint = [401, 403, 404].includes(outcome.status)
          ? " Does it need a token? --header 'Authorization: Bearer …'"
          : '';
        throw new ToolError({ code: 'not_found', message: `${shown} answered ${outcome.status}.${hint}` });
      }
      if (outcome.truncated !== undefined) {
        throw new ToolError({ code: 'invalid_arguments', message: `${shown} is larger than ${MAX_BYTES / 1e6} MB.` });
      }
      if (body.type === 'json') return checkLevels(body.value, shown);
      return parseDocument(body.type === 'text' ? body.text : '', shown);
    };
    const document = await read(address);
    const url = `${address.origin}${address.pathname}`;
    return { document, url, notes: await bundleDocument({ document, url: base, read }) };
  } finally {
    await client.close();
  }
}

const ACCEPT = 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.1';

export function parseDocument(text: string, shown: string): unknown {
  try {
    // JSON is valid YAML, but parses much faster as JSON.
    if (text.trimStart().startsWith('{')) return checkLevels(JSON.parse(text), shown);
    const document: unknown = load(text, { filename: shown });
    if (countParts(document, MAX_PARTS) <= MAX_PARTS) return document;
    throw new Error('its aliases expand to more than can be read');
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const reason = messageOf(error);
    throw new ToolError({ code: 'invalid_arguments', message: `${shown} is neither JSON nor YAML: ${reason}` });
  }
}

/** Refuses unrelated files: a document may come from anyone, and what it refers to becomes part of tools. */
function checkPlace(file: string, folders: readonly string[]): void {
  const real = realOf(file);
  const isNear = folders.some((folder) => {
    const inside = relative(realOf(folder), real).split(/[/\\]/);
    // People's settings and keys are in folders such as .ssh.
    return !inside.some((part) => part.startsWith('.') || part === '');
  });
  if (isNear) return;
  const message = `it is not in or below the document's folder or the current folder, or a part of its path begins with ".". Start in a folder above both, or bundle the document into one file.`;
  throw new ToolError({ code: 'invalid_arguments', message });
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function checkLevels(document: unknown, shown: string): unknown {
  if (!isDeeperThan(document, MAX_LEVELS)) return document;
  const message = `${shown} is nested deeper than ${MAX_LEVELS} levels. Move deep parts to "components" and refer to them.`;
  throw new ToolError({ code: 'invalid_arguments', message });
}

async function readText(path: string, shown: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const message = `${shown} cannot be read (${reason}). Check the path.`;
    throw new ToolError({ code: 'not_found', message, cause: error });
  }
  return parseDocument(text, shown);
}

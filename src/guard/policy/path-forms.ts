import type { PathForm } from '../../tool/parameters/find-values.ts';

/** The meaning of a value: something of another machine or a plain text, paths of this machine, or uncertain. */
type FormReading =
  | {
      readonly type: 'elsewhere';
      /** True when the command prefers a file with exactly that name. */
      readonly orFile: boolean;
    }
  | { readonly type: 'local'; readonly paths: readonly string[] }
  | { readonly type: 'refused'; readonly reason: string };

const TEXT: FormReading = { type: 'elsewhere', orFile: false };
const ELSEWHERE: FormReading = { type: 'elsewhere', orFile: true };
const WEB = ['http', 'https'];
/** The name of a container, pod or volume. A single letter would be a drive. */
const NAME = /^[A-Za-z0-9][\w.-]+$/;
const CONTAINER = /^(?:[A-Za-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]+:(?!\/\/)/;
const HOST = /^(?:[A-Za-z0-9_][\w.-]*@)?([A-Za-z0-9_][\w.-]*)(::?)(?!\/\/)/;
/** Matches `localhost:8080/health`: commands that expect addresses accept no path instead. */
const BARE_HOST = /^[A-Za-z0-9][\w.-]*(?::\d+)?(?:[/?#]|$)/;
/** Names of this machine, whose files are the local ones. */
const HERE = /^(?:localhost(?:\..*)?|ip6-(?:localhost|loopback)|0+(?:\.0+)*|0x[\da-f.x]*|127(?:\.[\d.]+)?|\d{8,})$/i;
const DRIVE = /^[A-Za-z]:[\\/]/;
const REGISTRY_NAME = /^(?:@[a-z0-9][\w.~-]*\/)?[A-Za-z0-9_][\w.~-]*(?:@[\w^~<>=*.+|-][\w^~<>=*.+| -]*)?$/;
const REPOSITORY = /^(?:(?:github|gitlab|bitbucket|gist):)?[A-Za-z0-9][\w-]*\/[A-Za-z0-9_][\w.-]*(?:#[^\s]*)?$/;
const REMOTE_PACKAGE = /^(?:https?|git|git\+https?|git\+ssh|ssh):\/\/[^/\\]/;
/** Texts that npm treats as a file because of their beginning or end. */
const FILE_PACKAGE = /^(?:\.|~\/|\/|[A-Za-z]:)|\.(?:tgz|tar.?gz|tar)$/i;

/**
 * Reads a value by its form.
 *
 * A value counts as remote only if every command with that form treats it as remote; an uncertain one is treated as a path or refused. This
 * keeps a path that looks like an address inside the allowed folders.
 */
export function readPathForm({ form, schemes }: PathForm, text: string): FormReading {
  switch (form) {
    case 'url':
      return hasScheme(text, schemes ?? WEB) ? ELSEWHERE : readPath(text);
    case 'address':
      return readAddress(text, schemes ?? WEB);
    case 'host':
      return hasScheme(text, schemes ?? [])
        ? (refuseThisMachine(text) ?? ELSEWHERE)
        : readHost(text, schemes?.includes('rsync') === true);
    case 'container':
      return CONTAINER.test(text) ? ELSEWHERE : local(text);
    case 'volume':
      return readVolume(text);
    case 'mount':
      return readMount(text);
    case 'package':
      return readPackage(text);
    case 'at':
      return readAt(text);
    case 'field':
      return readField(text);
    case 'file-url':
      return readFileUrl(text);
  }
}

function local(...paths: readonly string[]): FormReading {
  return { type: 'local', paths };
}

function refuse(reason: string): FormReading {
  return { type: 'refused', reason };
}

/** Case-sensitive: some commands treat `S3://` as a path. An address needs a host. */
function hasScheme(text: string, schemes: readonly string[]): boolean {
  return schemes.some((scheme) => text.startsWith(`${scheme}://`) && /^[^/\\]/.test(text.slice(scheme.length + 3)));
}

function readPath(text: string): FormReading {
  return isFileAddress(text) ? local(...filePaths(text)) : local(text);
}

export function isFileAddress(text: string): boolean {
  return /^file:/i.test(text);
}

/** Returns the paths that commands read from a `file:` address: with and without its host, decoded or not, up to `?` and `#` or beyond. */
export function filePaths(address: string): string[] {
  const rest = address.slice('file:'.length);
  const bodies = rest.startsWith('//')
    ? [rest.slice(2), ...(/^\/\/[^/\\]+([/\\].*)$/s.exec(rest)?.slice(1) ?? [])]
    : [rest];
  const readings = bodies
    .flatMap((body) => [body, body.replace(/[?#].*$/s, '')])
    .flatMap((body) => [body, decode(body)]);
  return [...new Set(readings)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Invalid escapes are taken as written.
    return text;
  }
}

function readAddress(text: string, schemes: readonly string[]): FormReading {
  if (hasScheme(text, schemes)) return refuseThisMachine(text) ?? TEXT;
  if (schemes.includes('http') && BARE_HOST.test(text)) return TEXT;
  if (isFileAddress(text)) {
    // curl expands braces and brackets to several addresses.
    return /[{}[\]]/.test(text) ? refuse('must not contain braces or brackets in a file: address') : readPath(text);
  }
  return refuse(`must be a whole address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
}

/**
 * Refuses addresses of this machine: services such as ssh read its files. Web servers are allowed, because they only show what they were
 * configured to.
 */
function refuseThisMachine(address: string): FormReading | undefined {
  const [, host = ''] = /^(?!https?:|wss?:)[^:]+:\/\/(?:[^/@]*@)*([^/:?#]*)/.exec(address) ?? [];
  return HERE.test(host) || host.startsWith('[')
    ? refuse('must not name this machine: write the path alone')
    : undefined;
}

function readHost(text: string, hasModules: boolean): FormReading {
  const [, host, colons] = HOST.exec(text) ?? [];
  // An IPv6 address can mean this machine in many spellings.
  if (text.startsWith('[') || text.includes('@[')) return refuse('must name a host, not an address in brackets');
  if (text.startsWith(':')) return refuse('must not begin with ":"');
  if (host === undefined) return readPath(text);
  if (HERE.test(host)) return refuse('must not name this machine: write the path alone');
  // A drive letter.
  if (host.length === 1) return readPath(text);
  // git would run this as a program: `ext::sh -c …`.
  if (colons === '::' && !hasModules) return refuse('must not contain "::" after its first word');
  return ELSEWHERE;
}

/** Reads `name:/data` and `./folder:/data:ro`; `/data` alone is a new volume in the container. */
function readVolume(text: string): FormReading {
  const start = DRIVE.test(text) ? 2 : 0;
  const end = text.indexOf(':', start);
  if (end === -1) return start === 0 ? TEXT : local(text);
  const source = text.slice(0, end);
  if (source === '') return refuse('must not begin with ":"');
  return NAME.test(source) ? TEXT : local(source);
}

/** Reads `type=bind,source=./folder,target=/data`. */
function readMount(text: string): FormReading {
  if (text.includes('"')) return refuse('must not contain quotes');
  const fields = text.split(',').map((field): [string, string] => {
    const [key = '', ...value] = field.split('=');
    return [key.trim().toLowerCase(), value.join('=')];
  });
  const types = fields.filter(([key]) => key === 'type').map(([, type]) => type.trim().toLowerCase());
  if (types.length > 1) return refuse('must say type once');
  const [type = 'volume'] = types;
  const sources = fields.filter(([key]) => key === 'source' || key === 'src').map(([, source]) => source);
  // Options of a volume can map it to a folder of the machine.
  if (fields.some(([key]) => key === 'volume-opt')) return refuse('must not contain volume-opt');
  if (type === 'tmpfs' || type === 'image') return TEXT;
  if (type !== 'volume') return sources.length === 0 ? refuse('must say source') : local(...sources);
  return sources.every((source) => NAME.test(source)) ? TEXT : refuse('must name a volume as source, or say type=bind');
}

/** Reads `name@1.2`, `user/repository`, `https://…/x.tgz`, `./folder`, `other@file:../x`. */
function readPackage(text: string): FormReading {
  if (REMOTE_PACKAGE.test(text)) return ELSEWHERE;
  const at = text.indexOf('@', 1);
  const [name, spec] = at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  const isFile = [text, name, spec].some((part) => FILE_PACKAGE.test(part));
  if (!isFile && REGISTRY_NAME.test(name)) {
    if (spec.startsWith('npm:')) return readPackage(spec.slice('npm:'.length));
    if (REGISTRY_NAME.test(text) || REMOTE_PACKAGE.test(spec)) return ELSEWHERE;
  }
  if (!isFile && REPOSITORY.test(text)) return ELSEWHERE;
  const parts = spec === '' ? [text] : [text, spec];
  return local(...parts.flatMap((part) => (isFileAddress(part) ? filePaths(part) : [part])));
}

/** Reads `@file`; any other text is no file, except a format of curl that writes one. */
function readAt(text: string): FormReading {
  if (text.startsWith('@')) return readInput(text.slice(1));
  return text.includes('%output{') ? refuse('must not contain "%output{"') : TEXT;
}

/** Reads the text after `@`: a file, or `-` for standard input. */
function readInput(text: string): FormReading {
  return text === '-' ? TEXT : local(text);
}

/** Reads `name=text`, `name=@file;type=text/plain`, `name=<file`, `name@file`. */
function readField(text: string): FormReading {
  const [, sign, rest = ''] = /^[^=@]*([=@])(.*)$/s.exec(text) ?? [];
  if (sign === undefined) return TEXT;
  if (sign === '@') return readInput(rest);
  if (!/^[@<]/.test(rest)) return TEXT;
  if (/["\\]/.test(rest)) return refuse('must not contain quotes or backslashes in the name of a file');
  // Several files with parameters, which may name a file too: headers=@file.
  const parts = rest.slice(1).split(/[,;]/);
  return rest.slice(1) === '-' ? TEXT : local(...parts);
}

/** Reads a text, which is a path only after `file://` or `fileb://`. */
function readFileUrl(text: string): FormReading {
  const [whole] = /^fileb?:\/\//i.exec(text) ?? [];
  // aws also reads files in its shorthand for objects: Key@=file://…
  if (whole === undefined && /@\s*=[^]*fileb?:\/\//i.test(text)) return refuse('must not read a file with "@="');
  if (whole === undefined) return TEXT;
  const path = text.slice(whole.length);
  // aws expands environment variables.
  return path.includes('$') ? refuse('must not contain "$" in the path of a file') : local(path, decode(path));
}

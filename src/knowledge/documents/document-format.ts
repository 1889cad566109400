import { basename, extname } from 'node:path';

/** A format with its own reader. */
interface ConvertedFormat {
  readonly type: 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'epub' | 'mail' | 'mhtml';
}

export type DocumentFormat =
  | ConvertedFormat
  | { readonly type: 'markdown' | 'html' | 'text' | 'notebook' }
  | { readonly type: 'csv'; readonly separator: string | undefined }
  | { readonly type: 'code'; readonly grammar: string | undefined };

/** Formats whose bytes are not text, by extension. */
const CONVERTED: Readonly<Record<string, ConvertedFormat['type'] | undefined>> = {
  '.pdf': 'pdf',
  '.docx': 'docx',
  '.docm': 'docx',
  '.dotx': 'docx',
  '.xlsx': 'xlsx',
  '.xlsm': 'xlsx',
  '.pptx': 'pptx',
  '.pptm': 'pptx',
  '.ppsx': 'pptx',
  '.odt': 'odt',
  '.ods': 'ods',
  '.odp': 'odp',
  '.epub': 'epub',
  '.eml': 'mail',
  '.mht': 'mhtml',
  '.mhtml': 'mhtml',
};
const MARKDOWN = new Set(['.md', '.markdown', '.mdown', '.mdx', '.mdc', '.qmd', '.rmd']);
const HTML = new Set(['.html', '.htm', '.xhtml']);

/** Grammars by extension. Code without one is split at lines without indentation that follow an empty line. */
const CODE: Readonly<Record<string, string | undefined>> = {
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.tsx': 'tsx',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.jsx': 'javascript',
  '.py': 'python',
  '.pyi': 'python',
  '.go': 'go',
  '.rs': 'rust',
  '.java': 'java',
  '.php': 'php',
  '.c': 'cpp',
  '.h': 'cpp',
  '.cc': 'cpp',
  '.cpp': 'cpp',
  '.cxx': 'cpp',
  '.hh': 'cpp',
  '.hpp': 'cpp',
  '.cs': 'c-sharp',
  '.rb': 'ruby',
  '.sh': 'bash',
  '.bash': 'bash',
};

const OTHER_CODE = new Set(
  '.kt .kts .swift .scala .dart .lua .pl .pm .r .jl .ex .exs .erl .hs .ml .clj .groovy .gradle .zig .nim .m .mm .sql .vue .svelte .ps1 .f90 .d .v .tf .proto .graphql'.split(
    ' ',
  ),
);

export function formatOf(path: string): DocumentFormat {
  const extension = extname(path).toLowerCase();
  if (MARKDOWN.has(extension)) return { type: 'markdown' };
  if (HTML.has(extension)) return { type: 'html' };
  const converted = Object.hasOwn(CONVERTED, extension) ? CONVERTED[extension] : undefined;
  if (converted !== undefined) return { type: converted };
  if (extension === '.ipynb') return { type: 'notebook' };
  if (extension === '.csv') return { type: 'csv', separator: undefined };
  if (extension === '.tsv' || extension === '.tab') return { type: 'csv', separator: '\t' };
  if (Object.hasOwn(CODE, extension)) return { type: 'code', grammar: CODE[extension] };
  if (OTHER_CODE.has(extension)) return { type: 'code', grammar: undefined };
  return { type: 'text' };
}

const PLACE_UNITS: Readonly<Record<string, PlaceUnit | undefined>> = {
  '.pdf': 'page',
  '.pptx': 'slide',
  '.pptm': 'slide',
  '.ppsx': 'slide',
  '.odp': 'slide',
  '.xlsx': 'row',
  '.xlsm': 'row',
  '.ods': 'row',
  '.ipynb': 'cell',
};

/** Marks the end of a page in the text of a PDF. */
export const PAGE_END = '\f';

export type PlaceUnit = 'line' | 'page' | 'slide' | 'row' | 'cell';

/** Returns the unit of the numbers in passages of a file: lines, unless the format has pages, slides, rows or cells. */
export function placeUnit(path: string): PlaceUnit {
  return PLACE_UNITS[extname(path).toLowerCase()] ?? 'line';
}

const GENERATED =
  /\.(?:min\.(?:js|css|mjs)|map|lock|snap|svg)$|^(?:package-lock\.json|pnpm-lock\.yaml|npm-shrinkwrap\.json|go\.sum)$/i;

/** Returns true if a program wrote the file: lock files, source maps, minified code. */
export function isGenerated(path: string): boolean {
  return GENERATED.test(basename(path));
}

/** Formats that are never text, so that they can be skipped without reading. */
const BINARY = new Set(
  '.png .jpg .jpeg .gif .webp .avif .ico .bmp .tiff .mp3 .mp4 .mov .avi .mkv .wav .ogg .flac .zip .gz .tgz .bz2 .xz .zst .7z .rar .jar .war .class .o .a .so .dylib .dll .exe .bin .wasm .pyc .node .db .sqlite .sqlite3 .ttf .otf .woff .woff2 .eot .psd .dmg .iso'.split(
    ' ',
  ),
);

export function isBinaryName(path: string): boolean {
  return BINARY.has(extname(path).toLowerCase());
}

import type { TrialServer } from './server.ts';

const OFFICIAL = '@modelcontextprotocol/server-';
/** Dates, times and random ids. */
const MOMENTS = /\d{4}-\d\d-\d\dT[\d:.]+Z|\d+(\.\d+)? ?ms|[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}/g;
/** The bytes of a picture: two runs of a browser may draw it a little differently. */
const PIXELS = /iVBORw0KGgo[\w+/]+=*/g;

/** The servers that are tried, each with calls that need nothing outside of this machine. */
export const SERVERS: readonly TrialServer[] = [
  {
    name: 'everything',
    package: `${OFFICIAL}everything`,
    script: 'dist/index.js',
    args: () => ['stdio'],
    calls: () => [
      { tool: 'echo', args: { message: 'hello' } },
      { tool: 'get-sum', args: { a: 2, b: 3 } },
      { tool: 'get-structured-content', args: { location: 'New York' } },
      { tool: 'get-tiny-image', args: {} },
      { tool: 'get-annotated-message', args: { messageType: 'error', includeImage: true } },
      { tool: 'get-resource-links', args: { count: 3 }, varies: MOMENTS },
      { tool: 'get-resource-reference', args: { resourceType: 'Text', resourceId: 1 }, varies: /\d+:\d+:\d+ [AP]M/g },
      { tool: 'trigger-long-running-operation', args: { duration: 1, steps: 4 }, reports: 3 },
      { tool: 'trigger-elicitation-request', args: {}, asks: true },
      { tool: 'simulate-research-query', args: { topic: 'tea' }, isTask: true, varies: MOMENTS },
    ],
    promptArguments: { city: 'Bern', department: 'Sales', name: 'Alice', resourceType: 'Text', resourceId: '1' },
  },
  {
    name: 'files',
    package: `${OFFICIAL}filesystem`,
    script: 'dist/index.js',
    args: ({ folder }) => [folder],
    calls: ({ folder }) => [
      { tool: 'list_directory', args: { path: folder } },
      { tool: 'read_text_file', args: { path: `${folder}/notes.md`, head: 2 } },
      { tool: 'read_media_file', args: { path: `${folder}/pixel.png` } },
      { tool: 'read_text_file', args: { path: '/etc/hostname' }, fails: true },
    ],
  },
  {
    name: 'memory',
    package: `${OFFICIAL}memory`,
    script: 'dist/index.js',
    env: ({ own }) => ({ MEMORY_FILE_PATH: `${own}/memory.json` }),
    calls: () => [
      {
        tool: 'create_entities',
        args: { entities: [{ name: 'Ada', entityType: 'person', observations: ['wrote programs'] }] },
      },
      { tool: 'read_graph', args: {} },
      { tool: 'search_nodes', args: { query: 'programs' } },
    ],
  },
  {
    name: 'thinking',
    package: `${OFFICIAL}sequential-thinking`,
    script: 'dist/index.js',
    calls: () => [
      {
        tool: 'sequentialthinking',
        args: { thought: 'First look, then think.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      },
    ],
  },
  {
    name: 'map',
    package: `${OFFICIAL}map`,
    script: 'dist/index.js',
    args: () => ['--stdio'],
    calls: () => [
      { tool: 'show-map', args: { west: 7.3, south: 46.9, east: 7.5, north: 47, label: 'Bern' }, varies: MOMENTS },
    ],
  },
  {
    name: 'pdf',
    package: `${OFFICIAL}pdf`,
    script: 'dist/index.js',
    args: ({ folder }) => ['--stdio', `${folder}/page.pdf`],
    calls: ({ folder }) => [
      { tool: 'list_pdfs', args: {} },
      { tool: 'read_pdf_bytes', args: { url: `${folder}/page.pdf`, offset: 0, byteCount: 100 } },
      { tool: 'display_pdf', args: { url: `${folder}/page.pdf` }, varies: MOMENTS },
    ],
  },
  {
    name: 'playwright',
    package: '@playwright/mcp',
    script: 'cli.js',
    args: ({ own, browser }) => [
      '--headless',
      '--isolated',
      '--no-sandbox',
      `--executable-path=${browser}`,
      `--output-dir=${own}`,
    ],
    calls: ({ outside }) => [
      { tool: 'browser_navigate', args: { url: `${outside}/page` }, varies: /(\S*\/)?page-[\w-]+\.yml/g },
      { tool: 'browser_snapshot', args: {} },
      { tool: 'browser_evaluate', args: { function: '() => document.title' } },
      {
        tool: 'browser_take_screenshot',
        args: {},
        varies: new RegExp(`\\S*page-[\\w-]+\\.png|${PIXELS.source}`, 'g'),
      },
      { tool: 'browser_close', args: {} },
    ],
  },
  {
    name: 'devtools',
    package: 'chrome-devtools-mcp',
    script: 'build/src/bin/chrome-devtools-mcp.js',
    args: ({ browser }) => [
      '--headless',
      '--isolated',
      `--executablePath=${browser}`,
      '--chromeArg=--no-sandbox',
      '--no-usage-statistics',
    ],
    env: () => ({ CI: 'true' }),
    calls: ({ outside }) => [
      { tool: 'new_page', args: { url: `${outside}/page` } },
      { tool: 'take_snapshot', args: { pageId: 2 } },
      { tool: 'evaluate_script', args: { pageId: 2, function: '() => document.title' } },
      { tool: 'take_screenshot', args: { pageId: 2 }, varies: PIXELS },
    ],
  },
  {
    name: 'git',
    package: '@cyanheads/git-mcp-server',
    script: 'dist/index.js',
    env: () => ({ MCP_TRANSPORT_TYPE: 'stdio' }),
    calls: ({ folder }) => [
      { tool: 'git_set_working_dir', args: { path: folder }, varies: MOMENTS },
      { tool: 'git_status', args: { path: folder } },
      { tool: 'git_log', args: { path: folder, maxCount: 1 } },
      { tool: 'git_show', args: { path: folder, object: 'no-such-commit' }, fails: true, varies: MOMENTS },
    ],
    promptArguments: { changelogPath: 'CHANGELOG.md' },
  },
  {
    name: 'notion',
    package: '@notionhq/notion-mcp-server',
    script: 'bin/cli.mjs',
    env: ({ outside }) => ({ BASE_URL: outside, NOTION_TOKEN: 'ntn_0' }),
    calls: () => [
      { tool: 'API-get-self', args: {} },
      { tool: 'API-post-search', args: { query: 'tea', page_size: 3 } },
    ],
  },
  {
    name: 'eslint',
    package: '@eslint/mcp',
    script: 'src/mcp-cli.js',
    calls: ({ folder }) => [{ tool: 'lint-files', args: { filePaths: [`${folder}/code.js`] } }],
  },
  {
    name: 'mui',
    package: '@mui/mcp',
    script: 'stdio.js',
    // Its tools only ask a service.
    calls: () => [],
  },
  {
    name: 'chart',
    package: '@antv/mcp-server-chart',
    script: 'build/index.js',
    env: ({ outside }) => ({ VIS_REQUEST_SERVER: `${outside}/chart` }),
    calls: () => [
      {
        tool: 'generate_pie_chart',
        // With the defaults of its schema, which the board fills in.
        args: {
          data: [{ category: 'tea', value: 3 }],
          innerRadius: 0,
          style: { texture: 'default' },
          theme: 'default',
          title: '',
          width: 600,
          height: 400,
        },
      },
    ],
  },
  {
    name: 'context7',
    package: '@upstash/context7-mcp',
    script: 'dist/index.js',
    env: ({ outside }) => ({ CONTEXT7_API_URL: outside }),
    calls: () => [{ tool: 'resolve-library-id', args: { query: 'how to draw', libraryName: 'react' } }],
  },
];

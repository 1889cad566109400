// Packages that only the benchmarks install. Declared without types, so that `npm run types` gives the same answer
// whether they are there or not: it checks what the benchmarks use of Pegboard.
declare module '@lancedb/lancedb';
declare module '@lat.md/embed';
declare module '@mastra/core/tools';
declare module '@orama/orama';
declare module 'fastmcp';
declare module 'flexsearch';
declare module 'minisearch';
declare module '@ai-sdk/code-mode';
declare module '@utcp/code-mode';
declare module '@utcp/direct-call';
declare module 'quickjs-emscripten';
declare module 'run';

// Packages that only `npm run interop` installs. Declared without types, so that `npm run types` gives the same answer
// whether they are there or not.
declare module '@langchain/mcp-adapters';
declare module '@mastra/mcp';
declare module 'mcporter';

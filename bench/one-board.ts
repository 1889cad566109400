// Measures the board of a machine: processes and memory of many clients, its front, calls through both, and servers from npm.
import { measureCalls } from './one-board/measure-calls.ts';
import { measureCrowds } from './one-board/measure-crowds.ts';
import { measureServerStart } from './one-board/measure-server-start.ts';
import { measureStarts } from './one-board/measure-starts.ts';
import { publish } from './report.ts';

const parts = [await measureCrowds(), await measureStarts(), await measureCalls(), await measureServerStart()];
publish({ name: 'one-board', tables: parts.map(({ table }) => table), bars: parts.flatMap(({ bars }) => bars) });

export { resumeCode, runCode } from './code/run-code.ts';
export type { CodeResult, RunCodeOptions } from './code/run-code.ts';
export { cancelProgram, followProgram, getProgram, listPrograms } from './code/programs.ts';
export type { ProgramInfo, ProgramStatus } from './code/programs.ts';
export { toolFunctions } from './code/tool-functions.ts';
export type { ToolFunction } from './code/tool-functions.ts';
export type { BoardLike } from './discovery/board-like.ts';
export type { CodeLimits } from './code/code-limits.ts';
export type { ProgramCall, WaitingCall } from './code/program/program-outcome.ts';

import { createMemoryStore } from './sqlite-store.ts';
import { describeStore } from '../store-contract.test-helper.ts';

describeStore('memory', { open: async () => createMemoryStore() });

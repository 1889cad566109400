import { createMemoryStore } from './memory-store.ts';
import { describeStore } from '../store-contract.test-helper.ts';

describeStore('memory', { open: async () => createMemoryStore() });

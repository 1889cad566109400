export { createDocument, TEST_EMBEDDING } from '../../testing/contracts/store-subject.ts';

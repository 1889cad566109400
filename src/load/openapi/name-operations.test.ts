import { expect, it } from 'vitest';
import { guessOperationRisk } from './guess-operation-risk.ts';
import { nameOperations } from './name-operations.ts';

const name = (operationId: string | undefined, method = 'get', path = '/pets/{id}'): string | undefined =>
  nameOperations([{ operationId, method, path }])[0];

it.each([
  ['listPets', 'list_pets'],
  ['issues/list-for-repo', 'issues_list_for_repo'],
  ['users.profile.get', 'users_profile_get'],
  ['getOAuthTokensByID', 'get_oauth_tokens_by_id'],
  ['listVMs', 'list_vms'],
  ['findPetUsingGET_1', 'find_pet'],
  ['PetController_findAll', 'pet_find_all'],
  ['read_pet_pets__id__get', 'read_pet'],
  ['get', 'get_pet'],
  ['pets_pets_list', 'pets_list'],
])('the id %s gives the name %s', (operationId, expected) => {
  expect(name(operationId)).toBe(expected);
});

it.each([
  ['get', '/api/v1/users', 'list_users'],
  ['get', '/users/{id}', 'get_user'],
  ['post', '/users', 'create_user'],
  ['post', '/users/{id}/activate', 'post_user_activate'],
  ['put', '/users/{id}', 'replace_user'],
  ['patch', '/users/{id}/addresses/{address}', 'update_user_address'],
  ['get', '/users/{id}/companies', 'list_user_companies'],
  ['delete', '/{id}', 'delete_by_id'],
  ['get', '/', 'get_root'],
])('without an id, %s %s gives the name %s', (method, path, expected) => {
  expect(name(undefined, method, path)).toBe(expected);
});

it.each([
  ['callTool', 'post', '/pets', 'create_pet'],
  ['run_code', 'get', '/pets/{id}', 'get_pet'],
  [undefined, 'search', '/tools', expect.stringMatching(/^search_tools_[0-9a-f]{8}$/)],
])('gives no name of a tool of the board to the id %s of %s %s', (operationId, method, path, expected) => {
  expect(name(operationId, method, path)).toEqual(expected);
});

it('gives names that are unique, of at most 64 characters, and the same in any order', () => {
  const operations = [
    { operationId: 'list', method: 'get', path: '/pets' },
    { operationId: 'List', method: 'get', path: '/v2/pets' },
    { operationId: 'x'.repeat(100), method: 'get', path: '/a' },
    { operationId: `${'x'.repeat(99)}y`, method: 'get', path: '/b' },
  ];
  const names = nameOperations(operations);
  expect(new Set(names).size).toBe(4);
  expect(names.every((one) => /^[a-z0-9_-]{1,64}$/.test(one))).toBe(true);
  expect(nameOperations(operations.toReversed())).toEqual(names.toReversed());
});

it.each([
  ['get', 'list_pets', '/pets', 'Lists pets.', 'read', 'GET'],
  ['get', 'delete_pet', '/pets/{id}/delete', 'Deletes a pet.', 'destructive', 'delete'],
  ['get', 'stop_server', '/servers/{id}/stop', '', 'write', 'stop'],
  ['get', 'get_create_vpc', '/', '', 'write', 'create'],
  ['get', 'get_update_status', '/updates/status', 'Get the status of an update.', 'read', 'GET'],
  ['post', 'search_pets', '/pets/search', 'Search for pets.', 'read', 'search'],
  ['post', 'search_pets', '/pets/search', 'Search for pets and create an alert.', 'write', 'POST'],
  ['post', 'search_pets', '/pets/search', '', 'write', 'POST'],
  ['post', 'create_pet', '/pets', 'Create a pet.', 'write', 'POST'],
  ['post', 'bulk_delete_pets', '/pets/bulk', 'Many at once.', 'destructive', 'delete'],
  ['put', 'replace_pet', '/pets/{id}', '', 'write', 'PUT'],
  ['delete', 'find_pet', '/pets/{id}', 'Find a pet.', 'destructive', 'DELETE'],
  ['query', 'query_pets', '/pets', '', 'read', 'QUERY'],
])('%s %s (%s, "%s") is guessed to be %s, from "%s"', (method, tool, path, summary, risk, from) => {
  expect(guessOperationRisk({ method, name: tool, path, summary })).toEqual({ risk, from });
});

import * as z from 'zod';
import { route } from './route.ts';
import { boolean, text } from './wire.ts';

const StoreResponse = z
  .object({
    id: z.string().describe('Id of the store.'),
    name: z.string().describe('Name of the store.'),
    open: boolean().describe(
      'True while the store sells. While it is closed, quotes and sales are refused, and nothing else.',
    ),
    key: z
      .object({
        id: z.string().describe('Id of the API key: the 12 characters after `sis_live_` or `sis_test_`.'),
        name: z.string().describe('Name of the key.'),
        scopes: z.array(z.string()).describe('The scopes that the key has.'),
        expiresAt: z
          .string()
          .nullable()
          .describe('When the key ends. Null: it does not.')
          .meta({ format: 'date-time' }),
      })
      .describe('The API key of this request.'),
  })
  .meta({ id: 'StoreResponse' });

const StoreStateRequest = z
  .object({
    reason: text({ min: 0, max: 200 }).optional().describe('Why, for the store’s own records: at most 200 characters.'),
  })
  .meta({ id: 'StoreStateRequest' });

export type Store = z.output<typeof StoreResponse>;

export const getStore = route('GET /v1/store', {
  id: 'store/get-store',
  summary: 'Read the store and the key of the request',
  scope: null,
  problems: [],
  response: StoreResponse,
  reads: ['STORE', 'KEY'],
  extension: true,
});

export const closeStore = route('POST /v1/store/actions/close', {
  id: 'store/close-store',
  summary: 'Close the store',
  scope: 'store:write',
  problems: [400],
  body: StoreStateRequest,
  bodyOptional: true,
  response: StoreResponse,
  reads: ['KEY'],
  writes: ['STORE'],
  extension: true,
});

export const openStore = route('POST /v1/store/actions/open', {
  id: 'store/open-store',
  summary: 'Open the store',
  scope: 'store:write',
  problems: [400],
  body: StoreStateRequest,
  bodyOptional: true,
  response: StoreResponse,
  reads: ['KEY'],
  writes: ['STORE'],
  extension: true,
});

import { getDays } from '../../lib/events/days.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { getDays as row } from '../../lib/routes/store.ts';

export const handler = endpoint(row, ({ store, query }) => getDays(store, query));

import { eventsPage } from '../../lib/events/events.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { listEvents as row } from '../../lib/routes/events.ts';

export const handler = endpoint(row, ({ store, scopes, query, list }) => eventsPage(store, scopes(), query, list));

import { journalPage } from '../../lib/events/journal.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { listJournal as row } from '../../lib/routes/journal.ts';

export const handler = endpoint(row, ({ store, scopes, query, list }) => {
  const { limit, cursor, ...filter } = query;
  return journalPage(store, scopes(), filter, list);
});

import type { JournalRowResponse } from '../../client/client.ts';
import { beginning, type JournalReader, kindsOf, readMore, tell } from '../journal.ts';
import type { Session } from '../session.ts';

/** At most this many changes are read. */
const most = 100;

/** The newest bans, discounts and the like of a customer, in words. History has the changes of credit. */
export const readChanges = async (session: Session, uuid: string, signal: AbortSignal) => {
  const read: JournalReader<JournalRowResponse> = (kind, cursor) =>
    session.client.get('/v1/journal', {
      query: { subject: uuid, limit: most, ...(kind && { kind }), ...(cursor && { cursor }) },
      signal,
    });
  const { rows } = await readMore(read, beginning<JournalRowResponse>(kindsOf('customer')), most);
  return Promise.all(rows.map(async (row) => ({ kind: row.kind, told: await tell(session, row) })));
};

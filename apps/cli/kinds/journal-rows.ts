import * as z from 'zod';
import { journalRows } from '../../../lib/events/journal.ts';
import { columns, type Values } from './columns.ts';
import type { Kind } from './kind.ts';

const any = z.unknown();

/** A row for each field that a change has changed. */
async function* rows(store: string): AsyncGenerator<Values> {
  for await (const { by, subject, changes, ...row } of journalRows(store))
    for (const { field, before, after, hidden } of changes)
      yield {
        ...row,
        byType: by.type,
        by: by.id,
        byName: by.name,
        subjectType: subject.type,
        subject: subject.id,
        subjectName: subject.name,
        field,
        before: hidden ? '' : JSON.stringify(before),
        after: hidden ? '' : JSON.stringify(after),
        hidden,
      };
}

/** The journal of a store. Exports contain it, and nothing imports it. */
export const journalOfStore: Kind = {
  file: {
    name: 'journal',
    summary: 'who changed what, the newest first, with a row for each field; exported only',
    columns: columns({
      at: ['text', any, 'when the change was made'],
      kind: ['text', any, 'what was done, such as product.changed'],
      byType: ['text', any, 'key, customer, operator, service or unknown'],
      by: ['text', any, 'the id of the key, or the UUID of the customer'],
      byName: ['text', any, 'the present name of the key or customer'],
      subjectType: ['text', any, 'what was changed, such as product'],
      subject: ['text', any, 'its id, if it has one'],
      subjectName: ['text', any, 'what it was called then'],
      field: ['text', any, 'the field that changed'],
      before: ['text', any, 'its value before, as JSON; empty: never told'],
      after: ['text', any, 'its value after, as JSON; empty: never told'],
      hidden: ['boolean', any, 'true if the values are never told'],
      id: ['text', any, 'the UUID of the row; the fields of one change have the same'],
      requestId: ['text', any, 'the X-Request-Id of the request, if it was one'],
    }),
    rows,
  },
};

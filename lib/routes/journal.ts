import * as z from 'zod';
import { actorTypes } from '../watched.ts';
import { journalKindNames, maxTold, subjectTypes } from './journal-kinds.ts';
import { route } from './route.ts';
import { timestamp } from './timestamp.ts';
import {
  acrossFields,
  answerText,
  answerTextOrNull,
  boolean,
  keyId,
  listOf,
  maxLength,
  pageQuery,
  text,
  time,
  uuid,
} from './wire.ts';

const JournalKind = z.enum(journalKindNames).meta({ id: 'JournalKind' });

/** The value of any field. */
const value = () =>
  z
    .union([
      answerText(maxTold.characters + 1),
      z.number(),
      z.boolean(),
      z.array(z.unknown()),
      z.unknown().meta({ type: 'object' }),
      z.null(),
    ])
    .describe(
      `As the API answers the field. A text ends after ${maxTold.characters} characters, with \`…\`; an array after ${maxTold.members} members.`,
    );

const JournalRowResponse = z
  .object({
    id: uuid().describe('UUID of the row. If the change is an event too, the event has the same id.'),
    at: time().describe('When the change was made.'),
    kind: JournalKind.describe('What was done.'),
    subject: z
      .object({
        type: z.enum(subjectTypes).describe('What was changed.'),
        id: answerTextOrNull(maxLength.name).describe(
          'Its id: a UUID, the id of a key, or the name of a dispenser. Null for the rules, the store and an import.',
        ),
        name: answerTextOrNull(maxLength.name).describe('What it was called then. Null: it has no name.'),
      })
      .meta({ id: 'JournalSubject' })
      .describe('The thing that was changed.'),
    by: z
      .object({
        type: z
          .enum(actorTypes)
          .describe(
            '`key`: an API key. `customer`: the avatar, on their own page. `operator`: whoever runs the service. `unknown`: the write names nobody.',
          ),
        id: answerTextOrNull(maxLength.uuid).describe('Id of the key, or the UUID of the customer. Null: neither.'),
        name: answerTextOrNull(maxLength.name).describe('Present name of the key, or of the customer.'),
      })
      .meta({ id: 'JournalActor' })
      .describe('Who made the change.'),
    requestId: answerTextOrNull(maxLength.label).describe(
      'The `X-Request-Id` of the request that made the change. Null: it was no request.',
    ),
    changes: z
      .array(
        z
          .object({
            field: answerText(maxLength.label).describe('Name of the field.'),
            before: value(),
            after: value(),
            hidden: boolean().describe('True for a field that is never told: then `before` and `after` are null.'),
          })
          .meta({ id: 'JournalChange' }),
      )
      .describe('The fields that the change has changed, with their values before and after it.'),
  })
  .meta({ id: 'JournalRowResponse' });

export type JournalRow = z.output<typeof JournalRowResponse>;

const filters = {
  kind: z
    .enum(journalKindNames, { error: `must be one of ${journalKindNames.join(', ')}` })
    .optional()
    .describe('Only rows of this kind, which the key must be allowed to read.'),
  subject: text({ min: 1, max: 64 })
    .optional()
    .describe('Only changes of the thing with this id. A UUID may be in any case.'),
  key: keyId().optional().describe('Only changes that the key with this id has made.'),
  from: timestamp().optional().describe('Only changes from this time on: an ISO 8601 date-time with an offset.'),
  to: timestamp().optional().describe('Only changes before this time, which is later than `from`.'),
};

export type JournalFilter = z.output<z.ZodObject<typeof filters>>;

export const listJournal = route('GET /v1/journal', {
  id: 'journal/list-journal',
  summary: 'List changes, with who made them',
  scope: 'journal:read',
  query: z.object({ ...pageQuery, ...filters }).check(
    acrossFields(({ from, to }, report) => {
      if (typeof from === 'string' && typeof to === 'string' && to <= from) report('to', 'must be later than from');
    }),
  ),
  response: listOf('JournalListResponse', 'Changes that the key may read, the newest first', JournalRowResponse),
  reads: ['EVENT', 'KEY', 'CUSTOMER'],
  extension: true,
});

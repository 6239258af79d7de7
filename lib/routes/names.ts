import * as z from 'zod';
import { withoutFormat } from '../normalise.ts';
import { route } from './route.ts';
import { answerText, listOf, maxLength, pageQuery, uuid } from './wire.ts';

const CustomerName = z
  .object({
    name: answerText(maxLength.username).describe('The name that was found, a present or a former one.'),
    residentUuid: uuid().describe('UUID of the avatar, in lower case.'),
    username: answerText(maxLength.username).describe('Current username of the avatar, in canonical form.'),
  })
  .meta({ id: 'CustomerNameResponse' });

const prefixPattern = /^([A-Za-z0-9]{1,31})(?:([. ])([A-Za-z0-9]{0,31}))?$/;

/**
 * The beginning of a name in canonical form. `vera r` may continue as `vera.rose`, or as `vera resident`, whose
 * canonical form is `vera`. So `vera` is also searched as a whole name.
 */
const parsePrefix = (typed: string): { prefix: string; whole?: string } | undefined => {
  const text = withoutFormat(typed).trimStart();
  const match = prefixPattern.exec(text.toLowerCase());
  const [, first = '', dot, last = ''] = match ?? [];
  if (!match || text.length < 2) return undefined;
  if (dot === undefined) return { prefix: first };
  return { prefix: `${first}.${last}`, ...('resident'.startsWith(last) && { whole: first }) };
};

const prefixError =
  'must be the beginning of a username: 2 to 63 letters and digits, with one dot or blank between first and last name';

const namePrefix = () =>
  z
    .string({ error: prefixError })
    .meta({ maxLength: maxLength.username, pattern: `^\\s*(?=..)${prefixPattern.source.slice(1)}` })
    .transform((value, context) => {
      const parsed = parsePrefix(value);
      if (parsed) return parsed;
      context.issues.push({ code: 'custom', message: prefixError, input: value });
      return z.NEVER;
    });

export const listNames = route('GET /v1/names', {
  id: 'finding/list-names',
  summary: 'Find customers by the beginning of a name',
  scope: 'customers:read',
  query: z.object({
    ...pageQuery,
    prefix: namePrefix().describe(
      'The beginning of a name as somebody types it, from two characters on: `ver`, `Vera V` and `vera.v` find `vera.vendor`.',
    ),
  }),
  response: listOf('CustomerNameListResponse', 'Names of customers, former ones too, by name', CustomerName),
  reads: ['CUSTOMER_NAME'],
  extension: true,
});

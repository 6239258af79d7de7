import { count } from './format.ts';
import { texts } from './texts.ts';

/** The service uses the API's name for a field. Beside the field itself a person needs a sentence without that name. */

const t = texts.faults;

const noLimit = 2_147_483_647;

type Words = (...parts: string[]) => string;

/** The ends of the service's messages, and the desk's own words for each. */
const sentences: readonly (readonly [end: RegExp, words: Words])[] = [
  [/^must be a whole number from (-?\d+) to (\d+), but not 0/, () => t.wholeNotZero],
  [
    /^must be a whole number from (-?\d+) to (\d+)/,
    (from = '', to = '') =>
      Number(to) === noLimit ? t.wholeFrom(count(Number(from))) : t.whole(count(Number(from)), count(Number(to))),
  ],
  [/^must be a number from 0 to 100 with at most 4 decimals/, () => t.decimals],
  [/^must be a number from (\S+) to ([\d.]+\d|\d)/, (from = '', to = '') => t.number(from, to)],
  [/^must be a number/, () => t.anyNumber],
  [/^must be text of (\d+) to ([\d,]+) characters/, (from = '', to = '') => t.text(from, to)],
  [/^must be text of at most ([\d,]+) characters/, (most = '') => t.most(most)],
  [/^must be at most (\d+) bytes/, () => t.tooLong],
  [/^must be 1 to 63 printable ASCII/, () => t.item],
  [/^must be a username \(/, () => t.person],
  [/^must be a username:/, () => t.name],
  [/^must be the UUID of an avatar/, () => t.avatar],
  [/^must be (?:a|the) UUID/, () => t.uuid],
  [/^must be true or false/, () => t.choice],
  [/^must be an ISO 8601/, () => t.time],
  [/^must be in the future/, () => t.future],
  [/^must be (?:one of )?(\w+(?:, \w+)* or \w+)$/, () => t.choice],
  [/^must be (?:0 \(|an object)/, () => t.choice],
  [/^must be an array of at most (\d+)/, (most = '') => t.lines(most)],
  [/^must be the text of a quote/, () => t.quote],
  [/^names a resident who does not exist/, () => t.nobody],
  [/^must not remove more than the customer holds/, () => t.holdsLess],
  [/^must be an https address/, () => t.https],
  [/^must be an array of one or more of /, () => t.events],
  [/^must be one of [\w.]+(?:, [\w.]+)+$/, () => t.choice],
  [/^must be more than 0/, () => t.moreThanNone],
  [/^must be a list of at most (\d+) tiers/, (most = '') => t.tiers(most)],
  [/^must have tiers of different from/, () => t.sameTier],
  [/^must be unique in the store/, () => t.codeTaken],
  [/^must be the id of another product/, () => t.otherProduct],
];

/** The desk's own sentence for the end of a message, if it has one. */
const sentenceFor = (message: string, field: string): string | undefined => {
  const end = message
    .slice(field.length + 1)
    .replace(/^is required: it /, '')
    .replace(/\.$/, '');
  for (const [pattern, words] of sentences) {
    const [found, ...parts] = pattern.exec(end) ?? [];
    if (found !== undefined) return words(...parts);
  }
  return undefined;
};

/** A service's message about a field, in the form for showing it beside that field. */
export const wordsOf = (message: string, field: string): string => {
  if (!message.toLowerCase().startsWith(`${field.toLowerCase()} `)) return message;
  return sentenceFor(message, field) ?? t.other(message.slice(field.length + 1).replace(/\.$/, ''));
};

/** A message about a field that a form does not show, or about no field. */
export const wordsAlone = (message: string): string => sentenceFor(message, message.split(' ')[0] ?? '') ?? message;

import { count } from './format.ts';
import { texts } from './texts.ts';
import { faultWords as t } from './words/fault.ts';

/**
 * The service speaks to programs: it names fields as the API does, and rows by method and path. A person at the desk
 * needs a sentence about the form in front of them.
 */

const noLimit = 2_147_483_647;

type Words = (...parts: string[]) => string;

/** The beginnings of rules about a field, and the desk's own words for each. */
const rules: readonly (readonly [rule: RegExp, words: Words])[] = [
  [/^must be a whole number from (-?\d+) to (\d+), but not 0/, () => t.wholeNotZero],
  [
    /^must be a whole number from (-?\d+) to (\d+)/,
    (from = '', to = '') =>
      Number(to) === noLimit ? t.wholeFrom(count(Number(from))) : t.whole(count(Number(from)), count(Number(to))),
  ],
  [/^must be a number from 0 to 100 with at most 4 decimals/, () => t.decimals],
  [/^must be a number from 0 to 100 for type 0/, () => t.discount],
  [/^must be a number over 0 and at most 100/, () => t.share],
  [/^must be a number from (\S+) to ([\d.]+\d|\d)/, (from = '', to = '') => t.number(from, to)],
  [/^must be a number/, () => t.anyNumber],
  [/^must be text of (\d+) to ([\d,]+) characters/, (from = '', to = '') => t.text(from, to)],
  [/^must be text of at most ([\d,]+) characters/, (most = '') => t.most(most)],
  [/^must be at most (\d+) bytes/, () => t.tooLong],
  [/^must be at most the credit limit of (\d+)/, (most = '') => t.limit(count(Number(most)))],
  [/^must be at most (?:what is owed to them|the change of the sale): L\$ (\d+)/, (most = '') => t.amount(most)],
  [/^must be 1 to 63 printable ASCII/, () => t.item],
  [/^is required here, since the name is no legal item name/, () => t.itemMissing],
  [/^must be a username \(/, () => t.person],
  [/^must be a username:/, () => t.name],
  [/^must be the beginning of a username/, () => t.beginning],
  [/^must name its user/, () => t.name],
  [/^names two different residents/, () => t.name],
  [/^must be the UUID of an? (?:avatar|object)/, () => t.avatar],
  [/^must be (?:(?:a|the) UUID|the id of an API key)/, () => t.uuid],
  [/^must be true or false/, () => t.choice],
  [/^must be an ISO 8601/, () => t.time],
  [/^must be a date such as/, () => t.time],
  [/^must be in the future/, () => t.future],
  [/^must be later than startDate/, () => t.endFirst],
  [/^must not be after to/, () => t.endFirst],
  [/^must be left out when delta is negative/, () => t.endOfTaken],
  [/^must be (?:one of )?(\w+(?:, \w+)* or \w+)$/, () => t.choice],
  [/^must be (?:0 \(|an object|left out when scope)/, () => t.choice],
  [/^is required when scope is 1/, () => t.product],
  [/^must be an array of at most (\d+)/, (most = '') => t.lines(most)],
  [/^must have one share for each user/, () => t.twoShares],
  [/^must add up to at most 100 percent/, () => t.sharesSum],
  [/^must be the text of a quote/, () => t.quote],
  [/^names a resident who does not exist/, () => t.nobody],
  [/^must name the owner of the card/, () => t.cardOwner],
  [/^must not remove more than the customer holds/, () => t.holdsLess],
  [/^must not take the (?:customer's )?balance .*credit limit of (\d+)/, (most = '') => t.limit(count(Number(most)))],
  [/^must be (?:an|a public) https address[^:]*: (.+)/, (why = '') => t.address(why)],
  [/^must be (?:an https address|the address of a script)/, () => t.https],
  [/^must be an array of one or more of /, () => t.events],
  [/^must be an array of one or more scopes/, () => t.choice],
  [/^must be one of [\w.:]+(?:, [\w.:]+)+$/, () => t.choice],
  [/^must be more than 0/, () => t.moreThanNone],
  [/^must be a list of at most (\d+) tiers/, (most = '') => t.tiers(most)],
  [/^must have tiers of different from/, () => t.sameTier],
  [/^must be unique in the store/, () => t.codeTaken],
  [/^must be the id of another product/, () => t.otherProduct],
  [/^must be the id of a product, or null/, () => t.product],
];

/** Whole sentences about no field, and the desk's own. */
const sentences: readonly (readonly [sentence: RegExp, words: Words])[] = [
  [/^The requested resource was not found\.$/, () => t.gone],
  [/^The service is busy\. Nothing was changed/, () => t.busy],
  [/^The host of url cannot be looked up now/, () => t.hostUnknown],
  [/^The card is inactive: /, () => t.cardDisabled],
  [/^The card has no credit: /, () => t.cardEmpty],
  [/^Send exactly one of code/, () => t.coupon],
  [/^Send either preset or scopes/, () => t.choice],
  [/^The service did not complete the request/, () => texts.noAnswer.write],
  [/^(?:A request with this Idempotency-Key is still running|The delivery is queued already)/, () => t.running],
  [/^(?:This Idempotency-Key was used|If-Match names another state)/, () => t.changed],
  [/^Too many requests/, () => t.tooMany],
  [/^The body must be at most/, () => t.tooLarge],
  [/^The API key lacks the scope ([\w:]+)/, (scope = '') => t.noRight(scope)],
  [/^A cashier has claimed the payout/, () => t.claimed],
];

interface Fault {
  /** The API's name of the field, such as `profitShares[0].percent`. */
  path: string;
  rule: string;
}

/** The field and the rule that a message is about, if it is about one. */
const faultOf = (message: string): Fault | undefined => {
  const [, path, rule] = /^([a-z]\w*(?:\.[a-z]\w*|\[\d+\])*) ((?:must|is|names|has|have)\b.*)$/s.exec(message) ?? [];
  return path === undefined || rule === undefined ? undefined : { path, rule };
};

const wordsFrom = (all: readonly (readonly [RegExp, Words])[], text: string): string | undefined => {
  for (const [pattern, words] of all) {
    const [found, ...parts] = pattern.exec(text) ?? [];
    if (found !== undefined) return words(...parts);
  }
  return undefined;
};

/** A text without the API's names: `startDate` becomes `start date`, and `tiers[0]` becomes `tiers 1`. */
const plain = (text: string): string =>
  text
    .replaceAll(/\[(\d+)\](?:\.(?=[a-z]))?/g, (_, index: string) => ` ${Number(index) + 1} `)
    .replaceAll(/ +(?=[ .]|$)/g, '')
    .replaceAll(/\b[a-z]+(?:[A-Z][a-z]*)+/g, (name) =>
      name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    )
    .replaceAll(/([a-z])\.(?=[a-z])/g, '$1 ');

const ruleWords = (rule: string): string => {
  const bare = rule
    .replace(/^is required: it /, '')
    .replace(/, not null: leave it out/, '')
    .replace(/\.$/, '');
  return wordsFrom(rules, bare) ?? t.other(plain(bare));
};

/** True if a message is about a field of a form, by the name that it has there. */
export const isAbout = (message: string, field: string): boolean => {
  const path = faultOf(message)?.path;
  return path === field || path?.startsWith(`${field}[`) === true || path?.startsWith(`${field}.`) === true;
};

/** A service's message about a field, in the form for showing it beside that field. */
export const wordsOf = (message: string, field: string): string => {
  const fault = faultOf(message);
  if (!fault || !isAbout(message, field)) return wordsAlone(message);
  const [, index] = /^\[(\d+)\]/.exec(fault.path.slice(field.length)) ?? [];
  const words = ruleWords(fault.rule);
  return index === undefined ? words : t.line(count(Number(index) + 1), words);
};

/** A message about a field that a form does not show, or about no field. */
export const wordsAlone = (message: string): string => {
  const fault = faultOf(message);
  if (!fault) return wordsFrom(sentences, message) ?? plain(message);
  const words = ruleWords(fault.rule);
  const name = plain(fault.path);
  // These are about a box that the person does not see.
  return /^(?:Enter|Choose|This) /.test(words) ? t.field(name.charAt(0).toUpperCase() + name.slice(1), words) : words;
};

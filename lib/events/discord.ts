import { type EventData, type EventType, eventTypes } from '../routes/events.ts';
import type { SentEventType } from '../routes/webhooks.ts';

/** The most characters of a text from outside. Discord allows 4,096 in an embed's description. */
const maxText = 1000;

/** A text from outside, without characters that Discord would read as a mention, a link or markup. */
const plain = (text: string): string => text.replace(/[\\*_~`|>@#[\]()<:]/g, (mark) => `\\${mark}`).slice(0, maxText);

type Lines = { [T in EventType]: (data: EventData<T>) => string };

const delivery = ({ item, recipientUsername }: EventData<'delivery.delivered'>): string =>
  `${plain(item)} for ${plain(recipientUsername)}`;
const card = ({ credit, ownerUsername }: EventData<'giftcard.redeemed'>): string =>
  `Card of ${plain(ownerUsername)}, L$ ${credit}`;
const sale = ({ total, paid, refund, refusal }: EventData<'sale.completed'>): string =>
  `Price L$ ${total}, paid L$ ${paid - refund}${refusal ? `: ${refusal}` : ''}`;
const payout = ({ username, amount }: EventData<'payout.paid'>): string => `L$ ${amount} to ${plain(username)}`;
const vendor = ({ name, region, product }: EventData<'vendor.lost'>): string =>
  `${plain(name)} in ${plain(region)}${product ? `: ${plain(product.name)}` : ''}`;
const customer = ({ username }: EventData<'customer.banned'>): string => plain(username);
const named = ({ name }: { name: string }): string => plain(name);

/** The line that people read about each event. It has no ids of cards, no notes, no reasons and no references. */
const lines: Lines = {
  'credit.changed': ({ username, credit, restrictedCredit }) =>
    `${plain(username)}: L$ ${credit}, restricted L$ ${restrictedCredit}`,
  'giftcard.granted': card,
  'giftcard.purchased': card,
  'giftcard.redeemed': card,
  'giftcard.disabled': card,
  'sale.completed': sale,
  'sale.refused': sale,
  'sale.refunded': sale,
  'delivery.delivered': delivery,
  'delivery.failed': delivery,
  'delivery.waiting': delivery,
  'dispenser.registered': ({ region }) => plain(region),
  'dispenser.lost': ({ region }) => plain(region),
  'coupon.applied': ({ customerUsername, discount }) => `${plain(customerUsername)}: ${discount} %`,
  'customer.banned': customer,
  'customer.unbanned': customer,
  'product.sold_out': ({ name }) => plain(name),
  'product.changed': ({ name, price }) => `${plain(name)}: L$ ${price}`,
  'coupon.changed': ({ code, discount }) => `${plain(code)}: ${discount} %`,
  'category.changed': named,
  'category.deleted': named,
  'key.issued': named,
  'key.ended': named,
  'payout.paid': payout,
  'payout.failed': payout,
  'payout.unknown': payout,
  'vendor.registered': vendor,
  'vendor.lost': vendor,
  'store.closed': named,
  'store.opened': named,
};

const isEvent = (type: SentEventType): type is EventType => type in eventTypes;

/** A message of one embed for a Discord channel. It mentions nobody. */
export const discordMessage = (type: SentEventType, data: unknown, at: string, sample = false) => ({
  embeds: [
    {
      title: `${sample ? 'Sample: ' : ''}${isEvent(type) ? eventTypes[type].summary : 'A test of this webhook.'}`,
      description: isEvent(type) ? (lines[type] as (data: unknown) => string)(data) : '',
      timestamp: at,
      footer: { text: type },
    },
  ],
  allowed_mentions: { parse: [] },
});

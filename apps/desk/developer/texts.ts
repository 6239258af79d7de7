import { count, money, some } from '../format.ts';
import { texts as frame } from './frame.ts';

/**
 * Every English text of the pages for developers. They are separate from the desk's texts, so that the deployed desk
 * does not load them.
 */

const units = [
  ['year', 365 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** A duration in the largest unit that fits. */
const duration = (millis: number): string => {
  const seconds = Math.abs(millis) / 1000;
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? (['second', 1] as const);
  return some(Math.floor(seconds / size), unit);
};

const utc = (timestamp: string): string => timestamp.slice(0, 19).replace('T', ' ');

export const texts = {
  all: 'All',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'The browser forbids it',
  more: (rows: number) => `Show ${count(rows)} more`,
  copyCommand: 'Copy the command',
  connection: {
    waiting: 'Connecting',
    live: 'Live',
    lost: 'The service does not answer: it has ended or is starting. Trying again',
  },
  requests: {
    title: frame.titles.requests,
    list: 'Requests of the API',
    caption: 'Requests, newest first. Arrow keys move in the list.',
    seen: (requests: number) => (requests === 0 ? '' : `${some(requests, 'request')} in all`),
    path: 'Path contains',
    key: 'Key',
    status: 'Status',
    statuses: { ok: 'Answered well', problems: 'Only problems', client: '4xx', server: '5xx' },
    own: (requests: number) => `The desk’s own requests (${count(requests)})`,
    clear: 'Clear',
    none: 'No request yet. Send the example from a terminal, or press “Execute” in the API reference.',
    noneFound: 'No request fits these filters.',
    cost: (millis: number, calls: number | undefined, used: number) =>
      `${count(millis)} ms${calls === undefined ? '' : ` · ${some(calls, 'call')}, ${some(used, 'unit')}`}`,
    noKey: 'no key',
    malformedKey: 'malformed key',
    unknownKey: (id: string) => `unknown key ${id}`,
    keyOfStore: (name: string, store: string) => `${name}, of the store ${store}`,
    ignored: (fields: number) =>
      fields === 1 ? 'Ignored, since no field has this name:' : 'Ignored, since no fields have these names:',
    ignoredShort: (fields: number) => `${some(fields, 'field')} ignored`,
    problem: 'What to change',
    request: 'Request',
    id: 'X-Request-Id',
    at: 'At',
    headers: 'Request headers',
    hidden: 'hidden',
    sent: 'Sent',
    answered: 'Answered',
    copyCurl: 'Copy as curl',
    otherKey: 'The request has another key than this page: set API_KEY to it before you run the command.',
    replay: 'Send again',
    notKept: 'Its body is too long, or no text, so it can be neither copied nor sent again.',
    replayed: (status: number, isNewKey: boolean) =>
      `Sent again, answered ${status}.${isNewKey ? ' It had a new Idempotency-Key, so it counts as another request.' : ''}`,
    call: 'Call it',
    on: (store: string, engine: string) => `${store}, on ${engine}`,
    base: 'Base URL',
    copyBase: 'Copy the base URL',
    copyKey: 'Copy the key',
    example: 'Example',
  },
  events: {
    title: 'Events',
    last: 'The store’s last 50',
    caption: 'Events, newest first. Arrow keys move in the list.',
    none: 'No event yet. A change of credit, a sale or a delivery makes one.',
    sample: 'sample',
    changed: 'Changed',
    id: 'Event',
    data: 'Data',
  },
  clock: {
    title: frame.titles.clock,
    time: 'Clock of the service',
    ahead: (millis: number) => `${duration(millis)} ahead`,
    real: 'Real time',
    steps: { hour: '+1 hour', day: '+1 day', week: '+1 week' },
    moved: { hour: 'Moved +1 hour.', day: 'Moved +1 day.', week: 'Moved +1 week.' },
    sweepNow: 'Sweep now',
    sweepAfter: 'Sweep after each move',
    help: 'Every endpoint uses this clock. The sweep closes credit that has expired; deployed, it runs every minute.',
    notSwept: 'Expired credit is due until a change or the sweep closes it.',
    swept: ({ lots, amount, failed }: { lots: number; amount: number; failed: number }) =>
      failed > 0
        ? `The sweep failed for ${some(failed, 'customer')}: see the terminal.`
        : lots === 0
          ? 'The sweep found no expired credit.'
          : `The sweep closed ${some(lots, 'lot')}: ${money(amount)} expired.`,
  },
  credit: {
    title: 'A customer’s credit over time',
    customer: 'Customer’s name or avatar UUID',
    placeholder: 'Name or UUID',
    show: 'Show',
    suggestion: (credit: number, restricted: number) => `${money(credit)}, ${money(restricted)} restricted`,
    nobody: (name: string) => `The store knows no resident ${name}.`,
    none: 'No customer yet. A resident becomes one with the first credit, coupon or purchase.',
    noScope: 'The key that you signed in with shows no credit.',
    types: { regular: 'Regular credit', restricted: 'Restricted credit' },
    sum: (inLots: number, lots: number, rest: number) =>
      `${money(inLots)} in ${some(lots, 'open lot')}, ${money(rest)} permanent`,
    part: (lots: number) => `The first ${some(lots, 'open lot')}`,
    order: (parts: readonly { amount: number; kind: string }[]) =>
      `Spent in this order: ${parts
        .map(({ amount, kind }) => `${money(amount)} ${kind === 'permanent' ? 'permanent' : 'of a lot'}`)
        .join(', ')}`,
    more: (lots: number) => `Show ${some(lots, 'more lot')}`,
    fewer: 'Show fewer lots',
    legend: 'Meaning of the bars',
    states: { open: 'open', due: 'due', drained: 'drained', expired: 'expired', superseded: 'superseded by a set' },
    of: (amount: number) => `of ${money(amount)}`,
    open: (millis: number) => `expires in ${duration(millis)}`,
    due: 'due: not swept yet',
    drained: (millis: number) => `drained ${duration(millis)} ago`,
    expired: (amount: number, millis: number) => `${money(amount)} expired ${duration(millis)} ago`,
    superseded: (amount: number, millis: number) => `${money(amount)} superseded ${duration(millis)} ago`,
    span: (createdAt: string, expiresAt: string, endedAt: string | null) =>
      [
        `Added ${utc(createdAt)} UTC`,
        `Expiry ${utc(expiresAt)} UTC`,
        ...(endedAt ? [`Ended ${utc(endedAt)} UTC`] : []),
      ].join('\n'),
    ticks: {
      now: 'now',
      hour: '1 hour',
      day: '1 day',
      week: '1 week',
      month: '30 days',
      year: '1 year',
      decade: '10 years',
      hourAgo: '1 hour ago',
      dayAgo: '1 day ago',
      monthAgo: '30 days ago',
      yearAgo: '1 year ago',
    },
  },
  faults: {
    title: frame.titles.faults,
    dispenser: 'The avatar’s dispenser',
    dispenserIs: 'The dispenser is',
    /** The name of each mode, and its effect on a delivery. */
    modes: {
      normal: ['Normal', 'It gives each item and says so.'],
      slow: ['Slow', 'It takes 2 seconds for each item. The service waits 5 seconds for an answer.'],
      lost: ['Lost', 'Its address is gone. Deliveries wait until it registers again: choose another mode.'],
      error: ['Broken', 'It answers 500. The service retries, after growing pauses.'],
      garbage: ['Garbled', 'Its answer is not HTTP. The service retries.'],
      forgetful: [
        'Forgetful',
        'It gives the item but does not say so. The service retries; the avatar must not get it twice.',
      ],
    },
    queue: 'Queue of all stores',
    counts: (ready: number, taken: number) => `${count(ready)} queued, ${count(taken)} at work`,
    dead: 'Dead letters',
    deadNone: 'None. Messages that no worker can handle appear here.',
    deadCount: (messages: number) => some(messages, 'message'),
    redrive: 'Put back on the queue',
    redriven: (messages: number) => `${some(messages, 'message')} put back on the queue.`,
    readable: 'readable',
    unreadable: 'unreadable',
    message: 'Message',
    notOurs: 'The service did not write this message. It stays here, since no worker could read it.',
    deliveries: 'Latest deliveries',
    allDeliveries: 'All deliveries',
    avatar: 'Avatar',
    note: 'Note',
    got: (time: string) => `has it since ${time}`,
    gotSilently: 'The avatar has it, but the dispenser did not say so.',
    noDelivery: 'No delivery yet. Send this from a terminal, and see it arrive:',
    noProduct: 'No delivery yet, and no product. Create one under Products.',
    example: 'Example of a delivery',
  },
};

import type { Receivers } from './receivers.ts';
import type { Traffic } from './traffic.ts';

/** The types of the events that the receiver subscribes to. */
export const subscribed = [
  'credit.changed',
  'giftcard.redeemed',
  'sale.completed',
  'sale.refunded',
  'delivery.delivered',
];

/** Faults where not each of `expected` is there once, and nothing else. */
export const onceEach = (what: string, expected: Iterable<string>, found: Iterable<string>): string[] => {
  const counts = new Map<string, number>();
  for (const id of found) counts.set(id, (counts.get(id) ?? 0) + 1);
  const wanted = new Set(expected);
  return [
    ...[...wanted].flatMap((id) => (counts.has(id) ? [] : `${what} ${id} is lost`)),
    ...[...counts].flatMap(([id, count]) => (count > 1 ? `${what} ${id} is there ${count} times` : [])),
    ...[...counts.keys()].flatMap((id) => (wanted.has(id) ? [] : `${what} ${id} is there, and nobody asked for it`)),
  ];
};

/** The faults of the history of credit. A sale that took credit, and its refund, have rows too. */
const historyFaults = async ({ acknowledged, customers, walk }: Traffic): Promise<string[]> => {
  const [found, sold, balances]: [string[], string[], string[]] = [[], [], []];
  for (const { uuid } of customers) {
    const rows = await walk(`/v1/customers/${uuid}/credit/history`);
    for (const { kind, reference, saleId, type } of rows)
      if (kind === 'sale' || kind === 'refund') sold.push(`${kind} ${type} ${saleId}`);
      else if (kind !== 'expire') found.push(reference);
    const holes = rows.map(({ sequence }) => sequence).filter((sequence, index) => sequence !== rows.length - index);
    if (holes.length > 0) balances.push(`The history of ${uuid} has a hole below ${holes[0]}`);
  }
  const paidWith = [...acknowledged.sales.values()].flatMap(({ id, state, credit, restrictedCredit }) =>
    ['sale', ...(state === 'refunded' ? ['refund'] : [])].flatMap((kind) => [
      ...(credit > 0 ? [`${kind} regular ${id}`] : []),
      ...(restrictedCredit > 0 ? [`${kind} restricted ${id}`] : []),
    ]),
  );
  return [
    ...onceEach('The change of credit', acknowledged.credit.keys(), found),
    ...onceEach('The credit of the', paidWith, sold),
    ...balances,
  ];
};

const saleFaults = async ({ acknowledged, walk }: Traffic): Promise<string[]> => {
  const rows = await walk('/v1/sales');
  const states = rows.flatMap(({ id, state }) => {
    const expected = acknowledged.sales.get(id)?.state;
    return expected === undefined || state === expected ? [] : `The sale ${id} is ${state}, not ${expected}`;
  });
  return [
    ...onceEach(
      'The sale',
      acknowledged.sales.keys(),
      rows.map(({ id }) => id),
    ),
    ...states,
  ];
};

const deliveryFaults = async ({ acknowledged, walk }: Traffic, { gifts, byNote }: Receivers): Promise<string[]> => {
  const rows = await walk('/v1/deliveries');
  const state = new Map<string, string>(rows.map(({ id, state: of }) => [id, of]));
  const sales = [...acknowledged.sales.values()];
  const refunded = new Set(sales.filter((sale) => sale.state === 'refunded').map(({ deliveryId }) => deliveryId));
  const sold = sales.map(({ deliveryId }) => deliveryId).filter((id) => !refunded.has(id));
  const ordered = [...acknowledged.ordered].flatMap((note) => byNote.get(note) ?? `with the note ${note}`);
  const given = [...gifts].flatMap(([id, count]) => Array.from({ length: count }, () => id));
  return [
    ...onceEach(
      'The delivery',
      [...sold, ...ordered],
      given.filter((id) => !refunded.has(id)),
    ),
    ...[...sold, ...ordered].flatMap((id) =>
      state.get(id) === 'delivered' ? [] : `The delivery ${id} is ${state.get(id) ?? 'not recorded'}`,
    ),
  ];
};

const eventFaults = async ({ acknowledged, walk }: Traffic, { events }: Receivers): Promise<string[]> => {
  const rows = await walk('/v1/events');
  const of = (type: string) => rows.filter((row) => row.type === type).map(({ data }) => data.id);
  const wanted = rows.filter(({ type }) => subscribed.includes(type)).map(({ id }) => id);
  const sales = [...acknowledged.sales.values()];
  return [
    ...onceEach('The event sale.completed of', acknowledged.sales.keys(), of('sale.completed')),
    ...onceEach(
      'The event sale.refunded of',
      sales.filter(({ state }) => state === 'refunded').map(({ id }) => id),
      of('sale.refunded'),
    ),
    ...onceEach('The event giftcard.redeemed of', acknowledged.redeemed, of('giftcard.redeemed')),
    // A receiver may get an event twice.
    ...onceEach('For the receiver, the event', wanted, events.keys()),
  ];
};

/** The faults of all that was acknowledged: what is lost, there twice, or there though nobody asked for it. */
export const faultsOf = async (traffic: Traffic, receivers: Receivers): Promise<string[]> => [
  ...(await saleFaults(traffic)),
  ...(await historyFaults(traffic)),
  ...(await deliveryFaults(traffic, receivers)),
  ...(await eventFaults(traffic, receivers)),
];

import { createHmac } from 'node:crypto';
import { virtualClock } from '../../../local/grid/world/clock.ts';
import type { Placement } from '../../../local/grid/world/land.ts';
import { createWorld } from '../../../local/grid/world/world.ts';
import { scriptOf } from './shop.ts';

/** The shipped vendor and a service in virtual time, whose answers a test decides. */

export const owner = '99999999-2222-3333-4444-555555555555';
export const ada = '22222222-2222-4333-8444-555555555555';
export const bo = '33333333-2222-4333-8444-555555555555';
export const thief = '66666666-2222-4333-8444-555555555555';
const price = 100;
export const lamp = '77777777-2222-4333-8444-555555555555';

/** A product in the answer to a registration. */
export const shown = (more: object = {}): object => ({
  ...{ id: lamp, name: 'Lamp', price, activePrice: price, changesAt: null, image: lamp },
  ...{ permissions: { copy: true, modify: false, transfer: true }, demoId: null, active: true, soldOut: false },
  ...more,
});

/** The longest answer to a registration, apart from the product. */
const registered = (uuid: string, product: object | null) => ({
  uuid,
  name: 'x'.repeat(63),
  region: 'y'.repeat(63),
  position: '<127.00000, 127.00000, 4095.00000>',
  script: 'z'.repeat(40),
  state: 'active',
  product,
  registeredAt: '2027-01-01T00:00:00.000Z',
  seenAt: '2027-01-01T00:00:00.000Z',
});

interface Sale {
  id: string;
  paid: number;
  productId: string;
  buyerIdentifier: string;
  recipientIdentifier?: string;
  quote?: string;
  inGroup?: boolean;
  vendorUuid?: string;
  /** The vendor's report about change that it gave back. */
  changePaid?: { transactionId: string; amount: number };
}

/** A registration of a vendor: its body, its time and its key. */
interface Registration {
  at: number;
  key: string | undefined;
  name: string;
  region: string;
  position: string;
  script: string;
  url?: string;
  productId?: string;
  picked?: boolean;
}

/** A region, and a service in virtual time that makes one sale for each id and answers after half a second. */
export const start = ({
  transfer,
  collapsesTouches = false,
  region = {},
}: {
  transfer?: (to: string, amount: number, answer: (error?: string) => void) => void;
  collapsesTouches?: boolean;
  region?: Pick<Parameters<typeof createWorld>[0], 'bringsLine' | 'keepsLine'>;
} = {}) => {
  const clock = virtualClock(1_900_000_000_000);
  const sales = new Map<string, Sale & { at: number }>();
  const service = {
    posts: 0,
    seconds: 0.5,
    /** It answers nothing. */
    isAway: false,
    /** Another server answers at its address, with this status. */
    wrong: 0,
    /** It refuses the key, as far as a script can see. */
    refuses: false,
    product: shown() as object | null,
    registrations: [] as Registration[],
    /** The status of a registration. */
    registered: 200,
    quotes: [] as Omit<Sale, 'id' | 'paid'>[],
    /** The products of the category, as a list has them. */
    goods: [] as { id: string; name: string; activePrice: number; image: string; [more: string]: unknown }[],
    quote: (_: Omit<Sale, 'id' | 'paid'>): object => ({ refusal: null, quote: 'q', toPay: price, total: price }),
    status: (_: Sale): number => 201,
    /** The price that the sale's quote names, else the product's. */
    priceOf: ({ productId, quote = '' }: Sale): number =>
      Number(/^L\$(\d+)$/.exec(quote)?.[1] ?? service.goods.find(({ id }) => id === productId)?.activePrice ?? price),
    change: (sale: Sale): number =>
      sale.paid < service.priceOf(sale) || sale.quote === 'late' ? sale.paid : sale.paid - service.priceOf(sale),
  };
  const absent = new Set<string>();
  const transfers: { to: string; amount: number; by: string }[] = [];
  const world = createWorld({
    clock,
    nameOf: () => undefined,
    uuidOf: () => undefined,
    isPresent: (uuid) => !absent.has(uuid),
    collapsesTouches,
    ...region,
    send: ({ url, method, headers, body }, answer) => {
      const path = new URL(url).pathname;
      if (service.isAway) return clock.after(service.seconds, () => answer(undefined));
      const page = { status: service.wrong, type: 'text/html', body: 'Not here.' };
      if (service.wrong > 0) return clock.after(service.seconds, () => answer(page));
      const respond = (status: number, fields: object): void =>
        clock.after(service.seconds, () => answer({ status, type: 'application/json', body: JSON.stringify(fields) }));
      if (service.refuses) return respond(415, {});
      if (path === '/v1/dispenser') return respond(200, { secret: 'x' });
      if (path === '/v1/store')
        return respond(200, {
          key: { scopes: ['sales:write', 'vendors:register', 'dispenser:register', 'products:read'] },
        });
      if (path === '/v1/products') {
        const at = Number(new URL(url).searchParams.get('cursor') ?? 0);
        const { [at]: one, length } = service.goods;
        const cursorAt = (place: number): string | null => (place >= 0 && place < length ? String(place) : null);
        const pagination = { nextCursor: cursorAt(at + 1), previousCursor: cursorAt(at - 1), limit: 1 };
        return respond(200, { data: one ? [one] : [], pagination });
      }
      if (method === 'PUT') {
        service.registrations.push({ ...JSON.parse(body), at: clock.now(), key: headers['X-API-Key'] });
        return respond(service.registered, registered(path.split('/').at(-1) ?? '', service.product));
      }
      if (path === '/v1/quotes') {
        service.quotes.push(JSON.parse(body));
        return respond(200, service.quote(JSON.parse(body)));
      }
      if (path.endsWith('/actions/change-paid')) {
        const [, , , id = ''] = path.split('/');
        const sale = sales.get(id);
        if (!sale) return respond(404, { status: 404 });
        sale.changePaid ??= JSON.parse(body);
        return respond(200, {});
      }
      service.posts += 1;
      const sale: Sale = JSON.parse(body);
      const status = service.status(sale);
      if (status !== 201) return respond(status, { status, detail: 'Oh.' });
      if (!sales.has(sale.id)) sales.set(sale.id, { ...sale, at: clock.now() });
      respond(201, {
        state: sale.paid < service.priceOf(sale) || sale.quote === 'late' ? 'refused' : 'completed',
        refusal: sale.quote === 'late' ? 'quote' : 'underpaid',
        change: service.change(sale),
        changePaid: sales.get(sale.id)?.changePaid ?? null,
      });
    },
    transfer: (by, to, amount, answer) => {
      transfers.push({ to, amount, by: by.body.id });
      if (transfer) transfer(to, amount, answer);
      else clock.after(0.5, () => answer(undefined));
    },
  });
  const cardOf = (key: string): string[] => ['service = https://s.example', `key = ${key}`];
  const allow = (): void => {
    for (const { answer, text } of world.log.dialogs.splice(0)) if (text.startsWith('permissions')) answer('Allow');
  };
  const place = (more: string[] = [], group = ''): Placement => {
    const vendor = world.rez({
      owner,
      name: 'vendor',
      group,
      script: scriptOf('vendor'),
      notecards: { vendor: [...cardOf('one'), ...more] },
      items: [],
    });
    clock.advance(10);
    allow();
    clock.advance(1);
    return vendor;
  };
  for (const who of [ada, bo]) world.balances.set(who, 1_000_000);
  const told = (): string[] => world.log.messages.map(({ text }) => text);
  const openOf = ({ body }: Placement): string[] =>
    [...body.linksetData.keys()].filter((name) => name.startsWith('sis:v:'));
  const paidTo = (who: string): number[] => transfers.filter(({ to }) => to === who).map(({ amount }) => amount);
  return { clock, world, service, sales, transfers, absent, place, allow, cardOf, told, openOf, paidTo };
};

/** Writes what this vendor would have stored. */
export const keep = ({ body }: Placement, name: string, value: string, key = 'one', by = owner): void => {
  const pass = createHmac('sha256', key).update(by).digest('base64');
  body.functions['integer llLinksetDataWriteProtected(string, string, string)']?.(...([name, value, pass] as never[]));
};
export const entry = ({ body }: Placement, n = 0): string =>
  `sis:v:${body.id}:${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;
export const saleText = (paid = price, buyer = ada): string => `S${buyer}|${paid}|${lamp}|${bo}|${buyer}|`;
/** L$ that are owed of a sale, as the service has said since the region started. */
export const owedText = (amount: number, buyer = bo): string =>
  `O${buyer}${amount}${saleText(price + amount, buyer).slice(37)}|1900000000`;

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { source } from '../../lib/clock.ts';
import { type Avatar, strangers } from '../../local/grid/grid.ts';
import { createKillableService } from '../load/killable-service.ts';
import { compareCredit, compareGifts, compareMoney, type StoreBooks } from './accounts.ts';
import { createActor } from './actor.ts';
import { createApi } from './api.ts';
import { createVisitor, live, type Visitor } from './avatars.ts';
import { createBook } from './book.ts';
import {
  bank,
  type Mall,
  manage,
  openMall,
  payClaims,
  payRefunds,
  type Sources,
  sourcesOf,
  stranger,
  touchOwn,
} from './mall.ts';
import { createNetwork, rates } from './network.ts';
import { createGrid, createRegion, gridRates, isOpen, type Region } from './regions.ts';
import { runFaster } from './time.ts';
import { makeTrouble } from './trouble.ts';

const root = join(import.meta.dirname, '../..');
const regionNames = ['Ahern', 'Bonifacio', 'Dore', 'Morris'];
const openingBalance = 1_000_000;

export interface WorldOptions {
  /** Of the world's clock. */
  seconds: number;
  seed: number;
  avatars: number;
  /** Visits of all avatars in a minute of the world. */
  rate: number;
  /** So many times faster than the wall's clock. */
  speed: number;
  faults: keyof typeof rates;
  /** An empty directory. */
  dataDir: string;
  /** Seconds of the world within which all must have settled once the faults are over; an hour if it is missing. */
  settleSeconds?: number;
  sources?: Sources;
  onProgress?: (text: string) => void;
}

const runFile = promisify(execFile);

/**
 * Lets a day pass: avatars buy through the shipped scripts from the local service, while regions, network and service
 * fail. Returns figures, and in `faults` everything between the grid's book and the service's that has no explanation.
 */
export const runWorld = async (options: WorldOptions) => {
  const { seconds, seed, rate, speed, dataDir, sources = sourcesOf(), onProgress = () => {} } = options;
  const { settleSeconds = 3600 } = options;
  const before = source.now;
  const begun = Date.now();
  const clock = runFaster(begun, speed);
  const env = {
    WORLD_BEGUN: String(begun),
    WORLD_SPEED: String(speed),
    // A region answers in a script's place after 25 seconds of the world, which are shorter than the service's.
    DISPENSER_TIMEOUT_MILLIS: '25000',
    DELIVERY_RETRY_SECONDS: '0.3',
  };
  const complaints: Record<string, number> = {};
  let queued: number | undefined;
  const killable = createKillableService({
    ...{ dataDir, seed, env },
    imports: ['./proof/world/service-faults.ts'],
    clockMillis: () => 0,
    onSample: (sample) => {
      queued = sample.queued;
    },
    onComplaint: (line) => {
      const text = line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#').slice(0, 160);
      if (/^\S*(Error|Exception)\b|: /.test(text)) complaints[text] = (complaints[text] ?? 0) + 1;
    },
  });
  const actorOf = (name: string) => createActor(clock, seed, name);
  const store = async (...args: string[]): Promise<string> => {
    const flags = ['--import', './proof/world/service-clock.ts', 'cli/store.ts'];
    const { stdout } = await runFile(process.execPath, [...flags, '--data-dir', dataDir, ...args], {
      cwd: root,
      env: { ...process.env, ...env },
    });
    return stdout.trim();
  };

  const visits: Record<string, number> = {};
  const note = (what: string): void => {
    visits[what] = (visits[what] ?? 0) + 1;
  };
  const book = createBook(clock.now);
  const grid = createGrid(clock, book);
  let regions: Region[] = [];
  let baseUrl = '';
  const network = await createNetwork(
    actorOf('network'),
    () => baseUrl,
    (url, method, body, answer) => {
      const region = regions.find(({ name }) => url.includes(`/${name}/`));
      if (region && !region.isDown()) region.world.receive(url, method, body, answer);
      else answer(404, 'cap not found');
    },
  );
  try {
    const service = await killable.start();
    ({ baseUrl } = service);
    killable.setFaults(false);
    // Two merchants, another account of theirs, a group, and one who only touches.
    const people = strangers(options.avatars + 5);
    const visitors = people.slice(5).map(createVisitor);
    const [, , other, group, bystander] = people as [Avatar, Avatar, Avatar, Avatar, Avatar];
    const companion = createVisitor(bystander);
    const byUuid = new Map<string, Visitor>([...visitors, companion].map((visitor) => [visitor.uuid, visitor]));
    for (const { uuid } of people) book.open(uuid, openingBalance);
    for (const account of [bank, stranger]) book.open(account, 0);

    regions = regionNames.map((name) => createRegion(name, grid, network, actorOf(name)));
    const malls: Mall[] = [];
    grid.onDialog = (dialog) => {
      const { to, by, text, answer } = dialog;
      // The merchant allows what a vendor asks for, some time later.
      if (text.startsWith('permissions')) clock.after(2, () => answer('Allow'));
      else byUuid.get(to)?.dialogs.push({ ...dialog, by });
    };
    grid.onSay = (to, text, by) => void byUuid.get(to)?.heard.push({ text, by });
    const complained: Record<string, number> = {};
    grid.onMessage = (to, text, by) => {
      if (byUuid.has(to)) return;
      const { id } = by.body;
      grid.told.set(id, [...(grid.told.get(id) ?? []), text]);
      const [, amount, buyer] =
        /L\$ (\d+) (?:to|back to|from) secondlife:\/\/\/app\/agent\/([0-9a-f-]+)/.exec(text) ?? [];
      if (buyer === undefined) complained[text] = (complained[text] ?? 0) + 1;
      else {
        note('merchant: was told of a payment to look at');
        grid.claims.push({ by: id, to: buyer, amount: Number(amount), isUpTo: false, text });
      }
    };
    const stores = [
      { ...service.store, key: service.keys.all },
      { ...service.otherStore, key: service.otherStore.key },
    ];
    malls.push(
      ...(await Promise.all(
        stores.map(async ({ id, name, key }, n) => {
          // The other store shows that a key may do more than its script needs.
          const issue = (name: string) =>
            n === 0
              ? store('--store', id, 'key', 'issue', name, '--preset', name.replace('other ', ''))
              : Promise.resolve(key);
          const [vendor = '', otherVendor = '', dispenser = '', terminal = ''] = await Promise.all(
            ['vendor', 'other vendor', 'dispenser', 'terminal'].map(issue),
          );
          const owner = people[n];
          if (!owner) throw new Error('There is nobody to own the store.');
          const actor = actorOf(`mall ${n}`);
          const api = createApi(actor, () => baseUrl, key);
          const keys = { vendor, otherVendor, dispenser, terminal };
          return openMall({ store: { id, name }, owner, api, keys, sources, regions, avatars: visitors, actor });
        }),
      )),
    );
    const isReady = (): true | undefined =>
      malls.every(
        ({ vendors, boxes }) =>
          vendors.every(({ object }) => (object.body.seen.payPrice[1] ?? 0) > 0) &&
          boxes.some(({ object }) => object.body.seen.text.includes('ready')),
      ) || undefined;
    if (!(await actorOf('ready').until(isReady, 300)))
      throw new Error(`The objects did not get ready: ${JSON.stringify(complained)}`);

    const dayBegan = clock.now();
    const readyAfterMillis = Date.now() - begun;
    const secondsNow = (): number => (clock.now() - dayBegan) / 1000;
    const isOver = (): boolean => secondsNow() >= seconds;
    network.setRates(rates[options.faults]);
    grid.rates = gridRates[options.faults];
    killable.setFaults(options.faults !== 'none');
    const trouble = makeTrouble({
      ...{ clock, faults: options.faults, regions, malls, killable, actorOf, isOver },
      baseUrl: () => baseUrl,
      others: { account: other.uuid, group: group.uuid },
      vendorSource: sources.vendor,
    });
    const pause = (60 * options.avatars) / rate;
    const watching = setInterval(() => {
      for (const region of regions) region.collectErrors();
      const { length } = grid.gifts;
      onProgress(`${Math.round(secondsNow())} s: ${book.transfers.length} transfers of L$, ${length} items given`);
    }, 10_000);
    try {
      await Promise.all([
        ...visitors.map((me, n) =>
          live({ me, others: visitors, malls, companion, grid, note, isOver, actor: actorOf(`avatar ${n}`) }, pause),
        ),
        ...malls.map((mall, n) => manage(mall, grid, actorOf(`merchant ${n}`), visitors, note, isOver)),
        trouble.done,
      ]);

      // The day is over: nothing fails any more, and all that is under way comes to its end.
      const dayMillis = clock.now() - dayBegan;
      network.setRates(rates.none);
      grid.rates = gridRates.none;
      killable.setFaults(false);
      onProgress('the day is over; all settles');
      const settler = actorOf('settler');
      const end = clock.now() + settleSeconds * 1000;
      let open: string[] = [];
      for (let round = 0; clock.now() < end; round++) {
        await settler.wait(10);
        open = await stillOpen({ malls, grid, queued, baseUrl });
        if (open.length === 0) break;
        if (round % 6 === 5) onProgress(`waits for ${open.length}: ${open[0]}, told ${JSON.stringify(complained)}`);
        // A vendor that cannot read something is given its other key for a while.
        if (round % 30 === 29)
          for (const { vendors, notecardsOf } of malls)
            for (const { object, productId } of vendors)
              if (grid.told.get(object.body.id)?.join().includes('cannot read'))
                object.editNotecard('vendor', notecardsOf(productId)[Math.floor(round / 30) % 2] ?? []);
        // A registration hands waiting deliveries over.
        if (round % 6 === 0) malls.forEach(touchOwn);
      }
      const settledMillis = clock.now() - dayBegan - dayMillis;
      for (const mall of malls) payRefunds(mall, grid);
      payUnheard(malls, grid);
      for (const region of regions) region.collectErrors();

      const books = await Promise.all(malls.map((mall) => booksOf(mall, visitors)));
      const gridBooks = {
        transfers: book.transfers,
        gifts: grid.gifts,
        unheard: new Set(grid.unheard.keys()),
        unnoted: grid.unnoted,
      };
      const claimFaults = malls.flatMap((mall, n) => {
        const one = books[n] as StoreBooks;
        return payClaims(mall, grid, () => compareMoney(one, gridBooks).missing);
      });
      const money = books.map((one) => compareMoney(one, gridBooks));
      const known = new Set(books.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)));
      const strays = grid.gifts.filter(({ deliveryId }) => !known.has(deliveryId));
      const gifts = books.map((one) => compareGifts(one, gridBooks));
      const audits: string[] = [];
      const audit = (id: string): Promise<unknown> =>
        store('--store', id, 'audit').catch((error) => audits.push(`store audit: ${error.stdout}`));
      await Promise.all(malls.map(({ store: { id } }) => audit(id)));
      const sales = books.flatMap((one) => [...one.sales]);
      const sum = (of: 'unexplained' | 'paid' | 'back' | 'unheard'): number =>
        money.reduce((all, one) => all + one[of], 0);
      return {
        seed,
        faultLevel: options.faults,
        avatars: options.avatars,
        speed,
        worldSeconds: Math.round(dayMillis / 1000),
        settledAfterSeconds: Math.round(settledMillis / 1000),
        wallSeconds: {
          ready: Math.round(readyAfterMillis / 1000),
          day: Math.round(dayMillis / speed / 1000),
          settled: Math.round(settledMillis / speed / 1000),
          all: Math.round((Date.now() - begun) / 1000),
        },
        unexplained: sum('unexplained'),
        money: {
          transfers: book.transfers.length,
          paid: sum('paid'),
          givenBackByScripts: sum('back'),
          paymentsThatNoScriptHeardOf: sum('unheard'),
          byReason: tally(book.transfers.map(({ reason }) => reason)),
        },
        sales: tally(sales.map(({ state, refusal }) => (refusal ? `refused: ${refusal}` : state))),
        salesPerMinute: Math.round((sales.length / (dayMillis / 60_000)) * 10) / 10,
        items: { given: grid.gifts.length, givenTwiceByDeath: gifts.flatMap(({ twice }) => twice) },
        visits: sorted(visits),
        world: sorted(grid.counts),
        network: sorted(network.counts),
        service: sorted(trouble.counts),
        toldOwners: sorted(complained),
        complaints,
        faults: [
          ...open.map((text) => `not settled after ${settleSeconds} s: ${text}`),
          ...money.flatMap(({ faults }) => faults),
          ...claimFaults,
          ...grid.silences,
          ...book.faults(),
          ...gifts.flatMap(({ faults }) => faults),
          ...strays.map(({ deliveryId, to, item }) => `no store knows delivery ${deliveryId} of ${item} to ${to}`),
          ...books.flatMap(compareCredit),
          ...grid.errors.map((text) => `script error: ${text}`),
          ...audits,
        ],
      };
    } finally {
      clearInterval(watching);
      trouble.stop();
    }
  } finally {
    network.stop();
    for (const { placements } of regions) for (const placement of [...placements]) placement.take();
    await killable.stop();
    source.now = before;
  }
};

const tally = (words: readonly string[]): Record<string, number> =>
  sorted(Object.fromEntries([...Map.groupBy(words, String)].map(([word, some]) => [word, some.length])));

const sorted = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** The merchant gives back payments that died with a region before a script heard of them. */
const payUnheard = (malls: readonly Mall[], { book, unheard }: ReturnType<typeof createGrid>): void => {
  for (const [id, { vendor, buyer, amount }] of unheard) {
    const mall = malls.find(({ productOf }) => productOf.has(vendor));
    if (mall) book.move({ reason: 'unheard', from: mall.owner, to: buyer, amount, of: id });
  }
};

/** Lists in words all that is still under way. */
const stillOpen = async ({
  malls,
  grid,
  queued,
  baseUrl,
}: {
  malls: readonly Mall[];
  grid: ReturnType<typeof createGrid>;
  queued: number | undefined;
  baseUrl: string;
}): Promise<string[]> => {
  await fetch(`${baseUrl}/_dev/sweep`, { method: 'POST' }).catch(() => undefined);
  const given = new Set(grid.gifts.map(({ deliveryId }) => deliveryId));
  const open = malls.flatMap(({ vendors, productOf }) =>
    vendors.flatMap(({ object }) =>
      [...object.body.linksetData]
        .filter(([name, { by, value }]) => productOf.has(by) && !grid.unreadable.has(name) && isOpen(value))
        .map(
          ([name, { value }]) =>
            `vendor ${object.body.id}: ${name} ${value}; timer ${object.body.timer()}, above it ${object.body.seen.text.replaceAll('\n', ' ')}`,
        ),
    ),
  );
  if (queued !== 0) open.push(`${queued} messages in the queue`);
  for (const { api } of malls) {
    for (const state of ['queued', 'waiting'])
      open.push(...(await api.all(`/v1/deliveries?state=${state}`)).map(({ id }) => `delivery ${id}: ${state}`));
    for (const { id, deliveryId } of await api.all('/v1/sales?state=completed'))
      if (!given.has(deliveryId)) open.push(`the item of sale ${id} is not given`);
  }
  return open;
};

const booksOf = async (mall: Mall, avatars: readonly Visitor[]): Promise<StoreBooks> => {
  const { api } = mall;
  const credit = new Map<string, { history: object[]; credit: number; restrictedCredit: number }>();
  for (const { uuid } of avatars) {
    const { status, body } = await api.call('GET', `/v1/customers/${uuid}/credit`);
    if (status !== 200) continue;
    const history = await api.all(`/v1/customers/${uuid}/credit/history`);
    credit.set(uuid, { history, credit: body.credit, restrictedCredit: body.restrictedCredit });
  }
  const cards = new Map<string, { credit: number; redeemed: boolean }>();
  for (const [id, amount] of mall.granted) {
    const { redeemed } = await api.must('GET', `/v1/giftcards/${id}`);
    cards.set(id, { credit: amount, redeemed });
  }
  return {
    sales: await api.all('/v1/sales'),
    deliveries: await api.all('/v1/deliveries'),
    credit,
    items: new Map([...mall.products.values()].map(({ id, item }) => [id, item])),
    productOf: mall.productOf,
    ...{ grants: mall.grants, refunds: mall.refunds, cards },
  };
};

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Avatar, strangers } from '../../local/grid/grid.ts';
import type { Clock } from '../../local/grid/world/clock.ts';
import type { ServiceFile } from '../../local/start/state.ts';
import { createKillableService } from '../load/killable-service.ts';
import { createBook as createWorkloadBook } from '../workload/book.ts';
import { createTally } from '../workload/tally.ts';
import { type Actor, createActor } from './actor.ts';
import { createBook } from './book.ts';
import { createGrid, createVisitor, type FaultLevel, type Grid, type Visitor } from './grid.ts';
import { type Mall, openMall, type Plan, seeChange, stockVendors } from './mall.ts';
import { createNetwork } from './network.ts';
import { Region } from './regions.ts';

/** The stage of a day: the grid with its regions, avatars and malls, the network, and a service that can be killed. */

export interface WorldOptions {
  /** In the world's time. */
  seconds: number;
  seed: number;
  avatars: number;
  /** How many visits all avatars together make in a minute of the world. */
  rate: number;
  /** How many times faster this clock runs than the real one. */
  speed: number;
  faults: FaultLevel;
  /** An empty directory. */
  dataDir: string;
  /** Seconds of the world within which everything must have ended after the faults; an hour if it is missing. */
  settleSeconds?: number;
  /** A fault of planted.ts. */
  plant?: string;
  onProgress?: (text: string) => void;
}

const root = join(import.meta.dirname, '../..');
const regionNames = ['Ahern', 'Bonifacio', 'Dore', 'Morris'];
const openingBalance = 1_000_000;
const runFile = promisify(execFile);

/** The service, which keeps the world's time, and the command `store`. */
const createService = ({ dataDir, seed, speed, plant = '' }: WorldOptions, begun: number) => {
  const complaints = createTally();
  let queued: number | undefined;
  const env = {
    WORLD_BEGUN: String(begun),
    WORLD_PLANT: plant,
    WORLD_SPEED: String(speed),
    // A region answers instead of a script after 25 seconds of the world, which are shorter than the service's.
    DISPENSER_TIMEOUT_MILLIS: '25000',
    DELIVERY_RETRY_SECONDS: '0.3',
  };
  const killable = createKillableService({
    ...{ dataDir, seed, env },
    imports: ['./proof/world/service-plant.ts', './proof/load/faults.ts', './proof/world/service-faults.ts'],
    clockMillis: () => 0,
    onSample: (sample) => {
      queued = sample.queued;
    },
    onComplaint: (line) => {
      const text = line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#').slice(0, 160);
      if (/^\S*(Error|Exception)\b|: /.test(text)) complaints.add(text);
    },
  });
  const store = async (...args: string[]): Promise<string> => {
    const flags = ['--import', './proof/world/service-clock.ts', 'apps/cli/store.ts', '--data-dir', dataDir];
    const { stdout } = await runFile(process.execPath, [...flags, ...args], {
      cwd: root,
      env: { ...process.env, ...env },
    });
    return stdout.trim();
  };
  return { killable, store, complaints, queued: () => queued };
};
type Service = ReturnType<typeof createService>;

/** Makes the service sweep. Answers whether it did everything that was due: on a busy machine it may leave some. */
export const sweep = async (baseUrl: string): Promise<boolean> => {
  try {
    const answer = await fetch(`${baseUrl}/_dev/sweep`, { method: 'POST', signal: AbortSignal.timeout(60_000) });
    return answer.ok && (await answer.json()).finished;
  } catch {
    return false;
  }
};

/** Lets visitors and merchants hear everything that scripts say. */
const listen = (grid: Grid, visitors: ReadonlyMap<string, Visitor>, note: (what: string) => void): void => {
  grid.onDialog = (dialog) => {
    // The merchant allows the vendor's request some time later.
    if (dialog.text.startsWith('permissions')) grid.clock.after(2, () => dialog.answer('Allow'));
    else visitors.get(dialog.to)?.dialogs.push(dialog);
  };
  grid.onPage = (to, url, by) => void visitors.get(to)?.offers.push({ url, by });
  grid.onSay = (to, text, by) => void visitors.get(to)?.heard.push({ text, by });
  grid.onMessage = (to, text, by) => {
    if (visitors.has(to)) return;
    const { id } = by.body;
    grid.told.set(id, [...(grid.told.get(id) ?? []), text]);
    const payment = /L\$ (\d+) (?:to|back to|from) secondlife:\/\/\/app\/agent\/([0-9a-f-]+)/;
    const [, amount, buyer] = payment.exec(text) ?? [];
    if (buyer === undefined) return grid.toldOwners.add(text);
    note('merchant: was told of a payment to look at');
    grid.claims.push({ by: id, to: buyer, amount: Number(amount), isUpTo: false, text });
  };
};

/** Opens a mall for each of the service's two stores. */
const openMalls = (
  { store: command }: Service,
  { store, otherStore, keys, baseUrl }: ServiceFile,
  owners: readonly Avatar[],
  actorOf: (name: string) => Actor,
  plan: Pick<Plan, 'regions' | 'avatars' | 'group' | 'fault'>,
): Promise<Mall[]> => {
  const stores = [{ ...store, key: keys.all }, otherStore];
  const open = async ({ id, name, key }: (typeof stores)[number], n: number): Promise<Mall> => {
    // The other store shows that a key may do more than its script needs.
    const issue = async (name: string): Promise<string> =>
      n > 0 ? key : command('--store', id, 'key', 'issue', name, '--preset', name.replace('other ', ''));
    const names = ['vendor', 'other vendor', 'dispenser', 'terminal', 'cashier', 'shop'];
    const [vendor = '', otherVendor = '', dispenser = '', terminal = '', cashier = '', shelf = ''] = await Promise.all(
      names.map(issue),
    );
    await command('--store', id, 'payouts', 'begin', '--yes');
    const actor = actorOf(`mall ${n}`);
    return openMall({
      ...{ ...plan, actor, store: { id, name }, owner: owners[n] as Avatar, isSpread: n > 0 },
      // It repeats each request until it has a final answer, by the world's clock.
      service: {
        baseUrl: () => baseUrl,
        key,
        book: createWorkloadBook(),
        patienceMillis: 300_000,
        pause: (attempts) => actor.wait(Math.min(attempts, 10)),
      },
      keys: { cashier, vendor, otherVendor, dispenser, terminal, shelf },
    });
  };
  return Promise.all(stores.map(open));
};

const areReady = (malls: readonly Mall[]): true | undefined =>
  malls.every(
    ({ vendors, boxes, tills }) =>
      vendors.every(({ object }) => (object.body.payPrice[1] ?? 0) > 0) &&
      [tills, boxes].every((some) => some.some(({ object }) => object.body.seen.text.includes('ready'))),
  ) || undefined;

/** Starts everything that a day needs. `end` ends it. */
export const openWorld = async (options: WorldOptions, clock: Clock, begun: number) => {
  const actorOf = (name: string): Actor => createActor(clock, options.seed, name);
  const visits = createTally();
  const service = createService(options, begun);
  const book = createBook(clock.now);
  const grid = createGrid(clock, book);
  const regions: Region[] = [];
  let baseUrl = '';
  const network = await createNetwork(
    grid,
    actorOf('network'),
    () => baseUrl,
    (url, method, body, answer) => {
      const region = regions.find(({ name }) => url.includes(`/${name}/`));
      if (region && !region.isDown) region.world.receive(url, method, body, answer);
      else answer(404, 'cap not found');
    },
  );
  const end = async (): Promise<void> => {
    network.stop();
    for (const region of regions) region.end();
    await service.killable.stop();
  };
  try {
    const file = await service.killable.start();
    ({ baseUrl } = file);
    service.killable.setFaults(false);
    // Two merchants, another account of theirs, a group, and an avatar who only touches.
    const people = strangers(options.avatars + 5);
    const [owner, otherOwner, other, group, bystander] = people as [Avatar, Avatar, Avatar, Avatar, Avatar];
    // Now and then the companion touches a vendor at the same moment as another avatar, and wants nothing.
    const [avatars, companion] = [people.slice(5).map(createVisitor), createVisitor(bystander)];
    for (const { uuid } of people) book.open(uuid, openingBalance);
    listen(grid, new Map([...avatars, companion].map((visitor) => [visitor.uuid, visitor])), visits.add);
    regions.push(...regionNames.map((name) => new Region(name, grid, network, actorOf(name))));
    // Half of the avatars wear the tag of the group.
    for (const { world } of regions)
      for (const [n, { uuid }] of avatars.entries()) if (n % 2 === 0) world.groups.set(uuid, group.uuid);
    const plan = { regions, avatars, group: group.uuid, fault: options.plant };
    const malls = await openMalls(service, file, [owner, otherOwner], actorOf, plan);
    for (const pass of malls.flatMap(({ passes }) => passes)) grid.passes.add(pass);
    const ready = actorOf('ready');
    for (const mall of malls) await stockVendors(mall, ready);
    if (!(await ready.until(() => areReady(malls), 300)))
      throw new Error(`The objects did not get ready: ${JSON.stringify(grid.toldOwners)}`);
    for (const mall of malls) await seeChange(mall, ready);
    /** Another account of the merchants, and a group. */
    const others = { account: other.uuid, group: group.uuid };
    return {
      ...service,
      ...{ options, actorOf, visits, grid, regions, network, baseUrl, avatars, companion, malls, others, end },
    };
  } catch (error) {
    await end();
    throw error;
  }
};

export type Setting = Awaited<ReturnType<typeof openWorld>>;

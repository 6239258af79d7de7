import type { Clock } from '../../local/grid/world/clock.ts';
import type { KillableService } from '../load/killable-service.ts';
import type { Actor } from './actor.ts';
import { type Mall, replaceStalls } from './mall.ts';
import type { rates } from './network.ts';
import type { Region } from './regions.ts';

/** Mean seconds of the world between two troubles. */
const pauses = { none: Number.POSITIVE_INFINITY, normal: 10, heavy: 4 };

/** More of them would only slow the world down. */
const mostCopies = 4;

const killEverySeconds = 180;

interface Options {
  clock: Clock;
  faults: keyof typeof rates;
  regions: readonly Region[];
  malls: readonly Mall[];
  killable: KillableService;
  actorOf: (name: string) => Actor;
  isOver: () => boolean;
  baseUrl: () => string;
  /** Another account of the merchants, and a group. */
  others: { account: string; group: string };
  vendorSource: string;
}

/** Kills regions, boxes and the service, and stops its stream and its queue for a while. `done` waits for all of it. */
export const makeTrouble = (options: Options) => {
  const { clock, faults, regions, malls, killable, actorOf, isOver, baseUrl, others, vendorSource } = options;
  const counts: Record<string, number> = {};
  const actor = actorOf('trouble');
  const under = new Set<Promise<void>>();
  let isStopped = false;
  /** The service is killed only while nothing else is done to it. */
  let service: Promise<void> = Promise.resolve();

  const stopFor = async (what: string, seconds: number): Promise<void> => {
    counts[`${what} stopped`] = (counts[`${what} stopped`] ?? 0) + 1;
    killable.tell(`stop ${what}`);
    await actor.wait(seconds);
    if (!killable.hasEnded()) killable.tell(`go ${what}`);
  };
  let killedAt = Number.NEGATIVE_INFINITY;
  const kill = async (): Promise<void> => {
    // A start takes seconds of the wall, which are many here.
    if (clock.now() - killedAt < killEverySeconds * 1000) return;
    killedAt = clock.now();
    counts['service killed'] = (counts['service killed'] ?? 0) + 1;
    await killable.killService();
    await actor.wait(actor.between(0, 30));
    await killable.start();
    killable.setFaults(true);
  };
  const withService = (step: () => Promise<void>) => async (): Promise<void> => {
    service = service.then(async () => {
      if (killable.hasEnded()) throw new Error('The service ended by itself.');
      await step();
    });
    await service;
  };
  const region = (): Region => actor.pick(regions) as Region;
  const mall = (): Mall => actor.pick(malls) as Mall;
  const forAWhile = (low: number, high: number) => () => actor.rest(actor.between(low, high), isOver);
  const away = async (stall: { region: Region; object: Parameters<Region['takeAway']>[0] } | undefined) =>
    stall?.region.takeAway(stall.object, forAWhile(20, 240));
  /** Does something to a vendor, or to the object that it is part of. */
  const withVendor = (step: (mall: Mall, stall: Mall['vendors'][number]) => void | Promise<void>) => async () => {
    const one = mall();
    const stall = actor.pick(one.vendors);
    if (stall) await step(one, stall);
  };
  let copied = 0;
  const copyOne = withVendor((one, { region: place, object }) => {
    if (copied < mostCopies) replaceStalls(one, place.copy(object), true);
    copied += 1;
  });
  const changeKey = withVendor((one, { object, productId }) => {
    const now = object.body.prim.notecards.vendor?.join();
    const other = one.notecardsOf(productId).find((lines) => lines.join() !== now);
    // One of the stores has a single key.
    if (!other) return;
    counts['keys changed'] = (counts['keys changed'] ?? 0) + 1;
    object.editNotecard('vendor', other);
  });
  const lend = (to: string, isDeeded: boolean) =>
    withVendor((_, { region: place, object }) => place.lend(object, to, isDeeded, forAWhile(30, 120)));
  const troubles: (() => Promise<void>)[] = [
    copyOne,
    withVendor((one, { region: place, object }) => replaceStalls(one, place.rezAgain(object), false)),
    lend(others.account, false),
    lend(others.group, true),
    withVendor((_, { region: place, object }) => place.dropScript(object, vendorSource, forAWhile(10, 60))),
    changeKey,
    async () => {
      const stall = mall().strangers[1];
      stall?.region.erase(stall.object);
    },
    async () => {
      const stall = actor.pick(mall().boxes);
      stall?.region.loseUrl(stall.object);
    },
    async () => region().restart(),
    () => region().crash(forAWhile(5, 60)),
    () => region().crash(forAWhile(5, 60)),
    () => away(actor.pick(mall().boxes)),
    () => away(actor.pick(mall().vendors)),
    withService(kill),
    withService(() => stopFor('stream', actor.between(10, 60))),
    withService(() => stopFor('queue', actor.between(10, 40))),
  ];

  const run = async (): Promise<void> => {
    if (faults === 'none') return;
    // Each trouble comes once before any comes again.
    let next: (() => Promise<void>)[] = [];
    while (!isOver() && !isStopped) {
      await actor.rest(-Math.log(1 - actor.random()) * pauses[faults], isOver);
      if (next.length === 0) next = [...troubles];
      const [trouble] = next.splice(actor.below(next.length), 1);
      const running = trouble?.() ?? Promise.resolve();
      under.add(running);
      running.then(
        () => under.delete(running),
        () => undefined,
      );
    }
    await Promise.all(under);
  };
  const sweep = async (): Promise<void> => {
    while (!isOver() && !isStopped) {
      await actor.rest(60, isOver);
      await fetch(`${baseUrl()}/_dev/sweep`, { method: 'POST' }).catch(() => undefined);
    }
  };
  return {
    counts,
    done: Promise.all([run(), sweep()]),
    stop: (): void => {
      isStopped = true;
    },
  };
};

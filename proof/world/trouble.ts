import type { Actor } from './actor.ts';
import { changeKey, type Mall, replaceStalls, type Stall, scriptOf } from './mall.ts';
import type { Region } from './regions.ts';
import { type Setting, sweep } from './setting.ts';

/** Mean seconds of the world between two troubles. */
const pauses = { none: Number.POSITIVE_INFINITY, normal: 10, heavy: 4 };

/** More copies would only slow the world down. */
const mostCopies = 4;

const killEverySeconds = 180;

type Trouble = () => Promise<void>;

/** Kills the service, and stops its stream, its queue and the queue's answers for a while: one at a time. */
const serviceTroubles = (
  { grid: { clock, counts }, killable }: Setting,
  isOver: () => boolean,
  actor: Actor,
): Trouble[] => {
  let service: Promise<void> = Promise.resolve();
  let killedAt = Number.NEGATIVE_INFINITY;
  const alone = (step: Trouble) => (): Promise<void> => {
    service = service.then(async () => {
      if (killable.hasEnded()) throw new Error('The service ended by itself.');
      // Troubles that still wait for their turn would make the day an hour longer.
      if (!isOver()) await step();
    });
    return service;
  };
  const stopFor = async (part: string, seconds: number): Promise<void> => {
    counts.add(`${part} stopped`);
    killable.tell(`stop ${part}`);
    await actor.wait(seconds);
    if (!killable.hasEnded()) killable.tell(`go ${part}`);
  };
  const kill = async (): Promise<void> => {
    // A start takes seconds of real time, which are many in the world.
    if (clock.now() - killedAt < killEverySeconds * 1000) return;
    killedAt = clock.now();
    counts.add('service killed');
    await killable.killService();
    await actor.wait(actor.between(0, 30));
    await killable.start();
    killable.setFaults(true);
  };
  return [
    alone(kill),
    alone(() => stopFor('stream', actor.between(10, 60))),
    alone(() => stopFor('queue', actor.between(10, 40))),
    alone(() => stopFor('answers', actor.between(10, 40))),
  ];
};

/** Kills regions and boxes, and does to objects everything that their owners and strangers may do. */
const gridTroubles = (setting: Setting, isOver: () => boolean, actor: Actor): Trouble[] => {
  const { grid, regions, malls, others, options } = setting;
  const vendor = scriptOf('vendor', options.plant);
  const updater = scriptOf('updater', options.plant);
  const region = (): Region => actor.pick(regions) as Region;
  const mall = (): Mall => actor.pick(malls) as Mall;
  const forAWhile = (low: number, high: number) => () => actor.rest(actor.between(low, high), isOver);
  const away = async (stall: Stall | undefined) => stall?.region.takeAway(stall.object, forAWhile(20, 240));
  /** Does something to a vendor, or to the object that it is part of. */
  const withVendor = (step: (mall: Mall, stall: Mall['vendors'][number]) => void | Promise<void>) => async () => {
    const one = mall();
    const stall = actor.pick(one.vendors);
    if (stall) await step(one, stall);
  };
  let copied = 0;
  let crashes = 0;
  /** The regions of a store's boxes die in turn. */
  const crashAtBoxes = async () => {
    const places = [...new Set(malls.flatMap(({ boxes }) => boxes.map((box) => box.region)))];
    await places[crashes++ % places.length]?.crash(forAWhile(20, 120));
  };
  const copyOne = withVendor((one, { region: place, object }) => {
    if (copied < mostCopies) replaceStalls(one, place.copy(object), true);
    copied += 1;
  });
  const lend = (to: string, isDeeded: boolean) =>
    withVendor((_, { region: place, object }) => place.lend(object, to, isDeeded, forAWhile(30, 120)));
  /** On a short day it would leave hardly a minute for what it undid. */
  const comeBack = () => region().comeBack(forAWhile(20, 120));
  const erase = (stall: Stall | undefined) => stall?.region.erase(stall.object);
  const loseUrl = (stall: Stall | undefined) => stall?.region.loseUrl(stall.object);
  return [
    copyOne,
    withVendor((one, { region: place, object }) => replaceStalls(one, place.copy(object, true), false)),
    lend(others.account, false),
    lend(others.group, true),
    withVendor((_, { region: place, object }) => place.dropScript(object, vendor, forAWhile(10, 60))),
    withVendor((one, stall) => {
      if (changeKey(one, stall)) grid.counts.add('keys changed');
    }),
    withVendor(async (_, stall) => {
      const other = await stall.region.update(stall.object, updater, vendor);
      if (other) stall.object = other;
    }),
    async () => erase(mall().strangers[1]),
    async () => loseUrl(actor.pick(mall().boxes)),
    async () => region().restart(),
    () => region().crash(forAWhile(5, 60)),
    ...(options.faults === 'heavy' ? [comeBack, comeBack] : []),
    crashAtBoxes,
    () => away(actor.pick(mall().boxes)),
    () => away(actor.pick(mall().vendors)),
  ];
};

/** Makes one trouble after the other, and makes the sweep run. */
export const makeTrouble = async (setting: Setting, isOver: () => boolean): Promise<void> => {
  const { faults } = setting.options;
  const actor = setting.actorOf('trouble');
  const troubles = [...gridTroubles(setting, isOver, actor), ...serviceTroubles(setting, isOver, actor)];
  const run = async (): Promise<void> => {
    if (faults === 'none') return;
    const under: Promise<void>[] = [];
    // Each trouble comes once before any comes again.
    let next: Trouble[] = [];
    while (!isOver()) {
      await actor.rest(-Math.log(1 - actor.random()) * pauses[faults], isOver);
      if (next.length === 0) next = [...troubles];
      const [trouble] = next.splice(actor.below(next.length), 1);
      const running = trouble?.() ?? Promise.resolve();
      // Its error is reported at the end.
      running.catch(() => undefined);
      under.push(running);
    }
    await Promise.all(under);
  };
  const sweepOften = async (): Promise<void> => {
    while (!isOver()) {
      await actor.rest(60, isOver);
      await sweep(setting.baseUrl);
    }
  };
  await Promise.all([run(), sweepOften()]);
};

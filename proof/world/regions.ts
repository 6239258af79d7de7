import { parseIdentifier } from '../../lib/identifier.ts';
import { avatarOf } from '../../local/grid/grid.ts';
import type { Placement } from '../../local/grid/world/land.ts';
import { createWorld } from '../../local/grid/world/world.ts';
import type { Actor } from './actor.ts';
import { claimOf, type Giving, type Grid, isForeign, isOpen } from './grid.ts';
import type { Network } from './network.ts';

/**
 * Tags after which the L$ have surely not moved and another try may succeed. Other tags leave a doubt, or end the
 * transfer.
 */
const refusals = ['THROTTLED', 'TRANSFERS_DISABLED', 'LINDENDOLLAR_INSUFFICIENTFUNDS'];
const doubts = ['EXPIRED', 'SERVICE_ERROR', 'LINDENDOLLAR_BADCLOCKSKEW'];
const ends = ['LINDENDOLLAR_ENTITYDOESNOTEXIST', 'INVALID_DESTINATION', 'INVALID_AMOUNT', 'GROUP_OWNED'];

/** The sale in the name of what a vendor keeps. */
const saleOf = (name: string): string => name.slice(43, 79);

/** CHANGED_REGION_START. */
const regionStart = 0x400;

const avatar = (text: string) => {
  const identifier = parseIdentifier(text);
  return identifier && avatarOf(identifier);
};

type World = ReturnType<typeof createWorld>;
type Absence = () => Promise<void>;

interface ScriptState {
  /** Another object each time the script loses everything that was under way. */
  life: object;
  /** The delivery that a box is handling, and whether its item was given. */
  order?: { deliveryId: string; isGiven: boolean } | undefined;
  /** The object is away for a while. */
  isGone: boolean;
  /** The object does not belong to its owner now. */
  isLent?: boolean;
  /** It has read its notecard since it began, and then counted what it keeps: an answer of the service came. */
  progress: 'begun' | 'read' | 'counted';
}

/** How far a script is once this event begins in it. */
const progressAt = (event: string, progress: ScriptState['progress']): ScriptState['progress'] => {
  if (event === 'state_entry') return 'begun';
  if (event === 'dataserver' && progress === 'begun') return 'read';
  return event === 'http_response' && progress === 'read' ? 'counted' : progress;
};

/** A region of the grid: objects with the shipped scripts, which die with the region and are started again. */
export class Region {
  readonly name: string;
  readonly world: World;
  isDown = false;
  private readonly grid: Grid;
  private readonly actor: Actor;
  private readonly scripts = new Map<Placement, ScriptState>();

  constructor(name: string, grid: Grid, network: Network, actor: Actor) {
    this.name = name;
    this.grid = grid;
    this.actor = actor;
    const { clock } = grid;
    this.world = createWorld({
      clock,
      nameOf: (uuid) => avatar(uuid)?.username,
      uuidOf: (text) => avatar(text)?.uuid,
      address: (id) => `${network.origin}/sim.agni.local/${name}/${id}`,
      mayRequest: network.mayRequest,
      send: network.send,
      lookUp: (kind, of, tell) => {
        const found = kind === 'key' ? (avatar(of)?.uuid ?? '') : avatar(of)?.username;
        if (found !== undefined) clock.after(actor.between(0.1, 1), () => tell(found));
      },
      onEvent: (by, event, values) => {
        // A busy script hears late that it begins anew, or that its region has: what it gave meanwhile has no result.
        const isStart = event === 'changed' && (Number(values[0]) & regionStart) > 0;
        if (isStart || event === 'state_entry') this.doubt(by);
        const result = event === 'transaction_result' && grid.givings.find(({ id }) => id === values[0]);
        if (result) result.isHeard = !result.isDoubtful;
        if (event === 'money') grid.unheard.delete(String(values[2]));
        const isOrder = event === 'http_request' && values[1] === 'POST';
        const deliveryId = isOrder ? (String(values[2]).split('\n')[3] ?? '') : '';
        const { progress = 'begun' } = this.scripts.get(by) ?? {};
        this.set(by, { order: { deliveryId, isGiven: false }, progress: progressAt(event, progress) });
      },
      takesGift: (to, { name: item }, by) => {
        const order = this.scripts.get(by)?.order;
        if (order) order.isGiven = true;
        grid.counts.add(`items given by a ${by.body.name}`);
        grid.gifts.push({ deliveryId: order?.deliveryId ?? '', to, item, box: by.body.id, at: clock.now() });
        // It is declined, or the inventory is full, and no script hears of it: the box has given it all the same.
        const isLost = actor.chance(grid.rates.inworld.lostGifts);
        if (isLost) grid.counts.add('items that never arrived');
        return !isLost;
      },
      isPresent: () => !actor.chance(grid.rates.inworld.left),
      bringsLine: () => !actor.chance(grid.rates.inworld.lostLines),
      keepsLine: () => !actor.chance(grid.rates.inworld.lostLines),
      transfer: (...order) => this.transfer(...order),
      onDialog: (dialog, by) => {
        const life = this.lifeOf(by);
        const answer = (text: string): void => {
          if (life === this.lifeOf(by) && !this.isDown) dialog.answer(text);
        };
        grid.onDialog({ ...dialog, by, answer });
      },
      onPage: (to, url, by) => grid.onPage(to, url, by),
      onSay: (to, text, by) => {
        if (to !== undefined) grid.onSay(to, text, by);
      },
      onMessage: (to, text, by) => grid.onMessage(to, text, by),
    });
    this.world.region.name = name;
  }

  /** Draws how a transfer ends. */
  private outcomeOfTransfer(): { moves: boolean; tag?: string; isDoubtful?: boolean; isSilent?: boolean } {
    const { actor, grid } = this;
    if (actor.chance(grid.rates.inworld.refused)) {
      grid.counts.add('transfers refused');
      return { moves: false, tag: actor.pick(refusals) ?? '' };
    }
    if (actor.chance(grid.rates.inworld.doubtful)) {
      grid.counts.add('transfers of which nobody knows the end');
      const isEnd = actor.chance(30);
      return { moves: !isEnd && actor.chance(50), tag: actor.pick(isEnd ? ends : doubts) ?? '', isDoubtful: true };
    }
    if (!actor.chance(grid.rates.inworld.silent)) return { moves: true };
    grid.counts.add('transfers without a result');
    return { moves: actor.chance(50), isDoubtful: true, isSilent: true };
  }

  private transfer(by: Placement, to: string, amount: number, answer: (tag?: string) => void, id: string): void {
    const { actor, grid } = this;
    const reason = by.body.name === 'cashier' ? 'payout' : 'back';
    const { owner: from, id: of } = by.body;
    const giving: Giving = { id, by: of, to, amount, isDoubtful: false, isHeard: false };
    grid.givings.push(giving);
    const life = this.lifeOf(by);
    if (reason === 'payout' && actor.chance(grid.rates.inworld.dying))
      grid.clock.after(actor.between(0, 4), () => void this.crash(() => actor.wait(actor.between(5, 30))));
    const outcome = this.outcomeOfTransfer();
    grid.clock.after(actor.between(0.1, 2), () => {
      // An order that left the region before it died may still be carried out.
      if (life !== this.lifeOf(by) && actor.chance(50)) return;
      const moved = outcome.moves && grid.book.move({ reason, from, to, amount, of }, id) !== undefined;
      if (outcome.isDoubtful) giving.isDoubtful = true;
      grid.clock.after(actor.between(0.1, 2), () => {
        if (life !== this.lifeOf(by) || outcome.isSilent) return;
        answer(outcome.tag ?? (moved ? undefined : 'LINDENDOLLAR_INSUFFICIENTFUNDS'));
      });
    });
  }

  /** Scripts forget everything except linkset data. Everything that was under way is lost. */
  private kill(placement: Placement): void {
    this.noteUnnoted(placement);
    this.forget(placement);
    placement.freeze(true);
    placement.body.loseConnections();
    placement.script.begin();
    this.set(placement, { progress: 'begun' });
  }

  /** The answers to requests and payments under way reach nobody. */
  private forget(placement: Placement): void {
    this.set(placement, { life: {} });
    this.doubt(placement);
  }

  /** The script does not hear any more how what it has given ended. */
  private doubt({ body }: Placement): void {
    for (const giving of this.grid.givings) if (giving.by === body.id) giving.isDoubtful = true;
  }

  /** A box that ends at this moment has not noted what it has just given. */
  private noteUnnoted(placement: Placement): void {
    const order = this.scripts.get(placement)?.order;
    const { linksetData, id } = placement.body;
    if (order?.isGiven && ![...linksetData.keys()].some((key) => key.endsWith(order.deliveryId)))
      this.grid.unnoted.set(order.deliveryId, id);
    this.set(placement, { order: undefined });
  }

  private add(placement: Placement): Placement {
    this.scripts.set(placement, { life: {}, isGone: false, progress: 'begun' });
    return placement;
  }

  /** Changes what is known about a script. A script that is gone stays away. */
  private set(placement: Placement, state: Partial<ScriptState>): void {
    Object.assign(this.scripts.get(placement) ?? {}, state);
  }

  private remove(placement: Placement): void {
    this.forget(placement);
    this.scripts.delete(placement);
    placement.take();
  }

  isThere(placement: Placement): boolean {
    return !this.isDown && this.scripts.get(placement)?.isGone === false;
  }

  /** This changes when the script loses everything that was under way. */
  lifeOf(placement: Placement): object | undefined {
    return this.scripts.get(placement)?.life;
  }

  /** All scripts of the object that the prim belongs to. */
  private objectOf({ body }: Placement): Placement[] {
    return [...this.scripts.keys()].filter((one) => body.prim.linkset.prims.includes(one.body.prim));
  }

  /** True for an object as the merchant left it, with all of its scripts. */
  private isWhole(placement: Placement): boolean {
    const scripts = this.objectOf(placement);
    const isComplete = scripts.length === placement.body.prim.linkset.prims.length;
    return isComplete && scripts.every((one) => this.isThere(one) && !this.scripts.get(one)?.isLent);
  }

  /** The script must say this within two minutes, if nothing happens to it meanwhile. */
  private mustTell(placement: Placement, words: string): void {
    const life = this.lifeOf(placement);
    const { name, id } = placement.body;
    this.grid.clock.after(120, () => {
      const isSame = life === this.lifeOf(placement) && this.isThere(placement);
      if (isSame && !this.grid.told.get(id)?.join().includes(words))
        this.grid.silences.push(`${name} ${id} did not tell that it ${words}`);
    });
  }

  rez(placed: Parameters<World['rez']>[0]): Placement {
    return this.add(this.world.rez(placed));
  }

  /** Avatars touch an object at the same moment. */
  touch(placement: Placement, ...visitors: string[]): void {
    if (this.isThere(placement)) placement.touch(...visitors);
  }

  /**
   * Somebody copies the object, or its owner takes it into the inventory and rezzes it. Answers the copies of its
   * scripts, by their originals.
   */
  copy(placement: Placement, isTaken = false): Map<Placement, Placement> {
    if (!this.isWhole(placement)) return new Map();
    this.grid.counts.add(isTaken ? 'objects taken and rezzed' : 'objects copied');
    const scripts = this.objectOf(placement);
    const originals = placement.body.prim.linkset.prims.flatMap((prim) =>
      scripts.filter((one) => one.body.prim === prim),
    );
    const copies = this.world.copy(placement);
    for (const one of copies) this.grid.copies.add(this.add(one).body.id);
    for (const original of isTaken ? originals : []) {
      this.noteUnnoted(original);
      this.remove(original);
    }
    return new Map(originals.map((original, n) => [original, copies[n] as Placement]));
  }

  /** A stranger's script erases the memory that it shares. Each vendor that loses something must say so. */
  erase(placement: Placement): void {
    const { body } = placement;
    if (!this.isThere(placement)) return;
    this.grid.counts.add('memories erased');
    const pairs = [...body.linksetData].filter(([, { by }]) => by !== body.id);
    placement.touch(body.owner);
    for (const one of this.objectOf(placement)) this.grid.erased.add(one.body.id);
    for (const [, { by, value }] of pairs) this.grid.claims.push(...claimOf(by, value));
    // Of an entry that it could never read a vendor knows only that it was there, and has told that before.
    const known = pairs.filter(([, pair]) => isOpen(pair.value) && !isForeign(this.grid, pair));
    // A vendor that has just begun does not know yet that there was anything.
    const knows = (one: Placement): boolean => this.scripts.get(one)?.progress === 'counted';
    for (const one of this.objectOf(placement))
      if (knows(one) && known.some(([, { by }]) => by === one.body.id)) this.mustTell(one, 'erased');
  }

  /** The object belongs to another account, or to a group, until its owner gets it back. */
  async lend(placement: Placement, to: string, isDeeded: boolean, absence: Absence): Promise<void> {
    const { owner, linksetData } = placement.body;
    const { grid } = this;
    if (!this.isWhole(placement)) return;
    const all = this.objectOf(placement);
    for (const one of all) this.set(one, { isLent: true });
    grid.counts.add(isDeeded ? 'objects deeded to a group' : 'objects given to another owner');
    for (const one of all) this.forget(one);
    placement.giveTo(to, isDeeded);
    await absence();
    for (const one of all) this.forget(one);
    placement.giveTo(owner);
    for (const one of all) this.set(one, { isLent: false });
    const isUnreadable = (id: string): boolean =>
      [...linksetData].some(
        ([name, pair]) => pair.by === id && isForeign(grid, pair) && (isOpen(pair.value) || name.startsWith('sis:c:')),
      );
    for (const one of all) if (isUnreadable(one.body.id)) this.mustTell(one, 'cannot read');
  }

  /** Another script is in the prim for a while. The first script begins again when it comes, and when it goes. */
  async dropScript(placement: Placement, source: string, absence: Absence): Promise<void> {
    if (!this.isWhole(placement)) return;
    this.grid.counts.add('second scripts in a prim');
    const other = this.add(placement.drop('second.lsl', source));
    this.forget(placement);
    await absence();
    this.forget(placement);
    this.remove(other);
  }

  /**
   * The owner puts another version of its script into a vendor, with an updater that holds its notecard. Answers the
   * script that took its place; undefined if none did, because something else happened to the object meanwhile.
   */
  async update(placement: Placement, updater: string, source: string): Promise<Placement | undefined> {
    if (!this.isWhole(placement)) return undefined;
    const { owner, scriptName, prim } = placement.body;
    const items = [{ name: scriptName, type: 10, source }];
    const notecards = { vendor: [...(prim.notecards.vendor ?? [])] };
    const tool = this.rez({ owner, name: 'updater', script: updater, notecards, items });
    await this.actor.wait(15);
    this.touch(placement, owner);
    const other = await this.actor.until(
      () => this.world.scriptsIn(placement).find((one) => !this.scripts.has(one) && one.body.scriptName === scriptName),
      15,
    );
    if (this.scripts.has(tool)) this.remove(tool);
    if (!other || !this.scripts.has(placement)) return undefined;
    this.grid.counts.add('scripts updated');
    this.forget(placement);
    this.scripts.delete(placement);
    return this.add(other);
  }

  /** The address of a box dies, and nobody says so. */
  loseUrl(placement: Placement): void {
    if (!this.isThere(placement)) return;
    this.grid.counts.add('addresses that died silently');
    placement.body.loseUrls();
  }

  /** An avatar pays an object. False if it could not. */
  pay(buyer: string, placement: Placement, amount: number): boolean {
    const { owner, id: of } = placement.body;
    if (!this.isThere(placement)) return false;
    const paid = this.grid.book.move({ reason: 'payment', from: buyer, to: owner, amount, of });
    if (!paid) return false;
    this.grid.unheard.set(paid.id, paid);
    placement.tell('money', buyer, amount, paid.id);
    return true;
  }

  /** An object is gone for a while, for example because its owner takes it and rezzes it again. */
  async takeAway(placement: Placement, absence: Absence): Promise<void> {
    if (this.isDown) return;
    this.grid.counts.add('objects taken away');
    this.set(placement, { isGone: true });
    this.kill(placement);
    await absence();
    while (this.isDown) await this.actor.wait(1);
    this.set(placement, { isGone: false });
    placement.freeze(false);
  }

  /** The region restarts in good order: its scripts continue afterwards. */
  restart(): void {
    if (this.isDown) return;
    this.grid.counts.add('regions restarted');
    for (const placement of this.scripts.keys()) this.forget(placement);
    this.world.restart();
  }

  /** All scripts are here, as the merchant left them, and wait for their next event. */
  private isQuiet(): boolean {
    const all = [...this.scripts.keys()];
    return !this.isDown && all.every((one) => this.isWhole(one) && one.script.isAtRest());
  }

  /** The entries that the scripts of this region keep, each with its prim. */
  private kept(): { name: string; by: string; value: string; isOthers: boolean }[] {
    const memories = new Set([...this.scripts.keys()].map(({ body }) => body.prim.linkset.data));
    return [...memories].flatMap(({ pairs }) =>
      [...pairs].map(([name, pair]) => ({ ...pair, name, isOthers: isForeign(this.grid, pair) })),
    );
  }

  /** Waits for a moment; false if none comes within a minute. */
  private async comes(moment: () => boolean): Promise<boolean> {
    for (let turn = 0; turn < 600; turn++) {
      if (moment()) return true;
      await this.actor.wait(0.1);
    }
    return false;
  }

  /**
   * The region comes back as it was before the absence. It does so only if no payment that vendors owed then is on its
   * way or unreported, and if the scripts know how each of these payments ended: of any other only the grid would know.
   * In the evening the owner looks at what the region's memory has lost.
   */
  async comeBack(absence: Absence): Promise<void> {
    const owed = () => this.kept().filter(({ value }) => /^[SO][0-9a-f-]{36}/.test(value));
    // L$ that are owed then, and paid before it comes back, are what a vendor may pay twice.
    const owes = (): boolean => owed().some(({ value }) => value.startsWith('O'));
    const isQuiet = (await this.comes(() => this.isQuiet() && owes())) || this.isQuiet();
    if (!isQuiet) return;
    const putBack = this.world.save();
    const [open, before] = [owed(), new Set(this.grid.givings)];
    await absence();
    const isUnreported = (one: { name: string; value: string }): boolean =>
      /^[PD][0-9a-f-]{36}/.test(one.value) && open.some(({ name }) => saleOf(name) === saleOf(one.name));
    const isInDoubt = (giving: Giving): boolean =>
      !giving.isHeard &&
      !before.has(giving) &&
      open.some(({ by, value }) => by === giving.by && value.slice(1, 37) === giving.to);
    const mayComeBack = (): boolean =>
      this.isQuiet() && !this.kept().some(isUnreported) && !this.grid.givings.some(isInDoubt);
    if (!(await this.comes(mayComeBack))) return;
    this.grid.counts.add('regions that came back as they were');
    const lately = this.kept();
    for (const placement of this.scripts.keys()) this.noteUnnoted(placement);
    putBack();
    for (const placement of this.scripts.keys()) this.forget(placement);
    const after = new Set(this.kept().map(({ name }) => name));
    for (const { name, by, value } of lately.filter((one) => !after.has(one.name))) {
      this.grid.claims.push(...claimOf(by, value));
      // A box does not know what it has given since.
      if (name.startsWith('sis:d:')) this.grid.unnoted.set(name.slice(-36), by);
    }
  }

  /** The region dies, and comes back later. */
  async crash(absence: Absence): Promise<void> {
    if (this.isDown) return;
    this.grid.counts.add('regions that died');
    this.isDown = true;
    for (const placement of this.scripts.keys()) this.kill(placement);
    await absence();
    this.isDown = false;
    for (const [placement, { isGone }] of this.scripts) if (!isGone) placement.freeze(false);
  }

  /** L$ that are open in the memories of this region though no script of their owner knows them. */
  claimsOfOthers(): Grid['claims'] {
    return this.kept().flatMap(({ by, value, isOthers }) => (isOthers ? claimOf(by, value) : []));
  }

  /**
   * The codes of pages that anybody but one avatar was told, in a window or in their own chat, or that a script keeps.
   */
  leaks(): string[] {
    const { said, pages, messages, dialogs, errors } = this.world.log;
    const shown = new Map<string, Set<string>>();
    const codesIn = (some: unknown): string[] => JSON.stringify(some).match(/sis_me_\w+/g) ?? [];
    const told = [
      ...said.map(({ text, to, channel }) => [text, channel === 0 && to !== undefined ? to : 'others'] as const),
      ...pages.map(({ url, to }) => [url, to] as const),
    ];
    for (const [text, to] of told)
      for (const code of codesIn(text)) shown.set(code, (shown.get(code) ?? new Set()).add(to));
    const kept = [...this.scripts.keys()].map(({ script, body }) => [
      ...[script.globals(), [...body.linksetData], body.seen.text],
    ]);
    const found = codesIn([messages, dialogs, errors, kept]);
    for (const [code, to] of shown) if (to.size > 1 || to.has('others')) found.push(code);
    return found.map((code) => `region ${this.name}: others than its avatar know the code of a page, ${code}`);
  }

  scriptErrors(): string[] {
    // The region shouts this itself. It is no fault of a script that it asks often, nor that the object to which its
    // updater brings a script has gone since it offered itself, or has begun anew and takes none.
    const shouts = ['too many HTTP requests', 'illegally load script'];
    return this.world.log.errors.filter((text) => !shouts.some((shout) => text.includes(shout)));
  }

  /** The day is over: no script continues. */
  end(): void {
    for (const placement of this.scripts.keys()) placement.take();
  }
}

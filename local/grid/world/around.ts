import { nullKey } from '../lsl/values.ts';
import type { Land, Placement } from './land.ts';
import type { WorldView } from './object.ts';

/** The world as one object sees it. The land answers, unless a test or a machine replaces the answer. */

type PlacementReader = () => Placement;

/** The region, and its limits for everything that an owner has there. */
type RegionPart =
  | 'bringsLine'
  | 'atHand'
  | 'keepsLine'
  | 'clock'
  | 'region'
  | 'host'
  | 'regionStartedAt'
  | 'send'
  | 'mayRequest'
  | 'mayTransfer'
  | 'ownerOf';
const ofRegion = (land: Land, placed: PlacementReader): Pick<WorldView, RegionPart> => ({
  clock: land.clock,
  region: () => land.region.name,
  ownerOf: (id) => [...land.objects].find(({ body }) => body.id === id)?.body.owner,
  host: () => land.host(),
  regionStartedAt: () => land.startedAt,
  send: land.around.send,
  bringsLine: land.around.bringsLine ?? (() => true),
  atHand: () => land.atHand,
  keepsLine: land.around.keepsLine ?? (() => true),
  mayRequest: land.mayRequest,
  mayTransfer: () => land.may('transfer', placed().body.owner, 30, 30),
});

type AvatarPart = 'nameOf' | 'uuidOf' | 'isPresent' | 'groupOf' | 'mayLookUp' | 'lookUp';
const avatars = (land: Land): Pick<WorldView, AvatarPart> => ({
  nameOf: land.around.nameOf,
  groupOf: (uuid) => land.groups.get(uuid) ?? '',
  uuidOf: land.around.uuidOf,
  isPresent: land.around.isPresent ?? (() => true),
  mayLookUp: land.around.mayLookUp ?? (() => land.mayLookUp()),
  lookUp:
    land.around.lookUp ??
    ((kind, of, answer) => {
      // There is never an answer for a UUID that belongs to no avatar.
      const found = kind === 'key' ? (land.around.uuidOf(of) ?? nullKey) : land.around.nameOf(of);
      if (found !== undefined) answer(found);
    }),
});

const addresses = (land: Land): Pick<WorldView, 'grantUrl' | 'freeUrls' | 'releaseUrl'> => ({
  freeUrls: () => land.region.urlsLeft,
  grantUrl:
    land.around.grantUrl ??
    ((answer) => {
      if (land.region.urlsLeft < 1) return answer(undefined);
      land.region.urlsLeft -= 1;
      answer(land.newUrl());
    }),
  releaseUrl: () => {
    land.region.urlsLeft += 1;
  },
});

const speech = (
  land: Land,
  placed: PlacementReader,
): Pick<WorldView, 'message' | 'messageLinked' | 'dialog' | 'offerPage' | 'say' | 'regionSay' | 'shout'> => ({
  message: (to, text) => {
    // Beyond the limit the message is lost, and the script does not learn of it.
    if (!land.may('message', placed().body.owner, 2500, 1800)) return;
    land.log.messages.push({ to, text });
    land.around.onMessage?.(to, text, placed());
  },
  dialog: (to, text, buttons, channel) => {
    const { body } = placed();
    const answer = (chosen: string): void => {
      if (Number.isNaN(channel)) body.grant(chosen === 'Allow' && to === body.owner ? 2 : 0);
      else body.hear(channel, land.around.nameOf(to) ?? '', to, chosen);
    };
    land.log.dialogs.push({ to, text, buttons, answer });
    land.around.onDialog?.({ to, text, buttons, answer }, placed());
  },
  offerPage: (to, text, url) => {
    land.log.pages.push({ to, text, url });
    land.around.onPage?.(to, url, placed());
  },
  say: (channel, text, to) => {
    land.log.said.push({ from: placed().body.name, to, channel, text });
    land.around.onSay?.(to, text, placed());
  },
  regionSay: (channel, text) => {
    const { name, id } = placed().body;
    for (const other of land.objects)
      if (other !== placed()) land.clock.after(0, () => other.body.hear(channel, name, id, text));
  },
  messageLinked: (prims, number, text, id) => {
    const sender = placed().body.linkNumber();
    // An event begins after the event that made it has ended.
    land.clock.after(0, () => {
      for (const { script } of prims.flatMap((prim) => land.scriptsIn(prim)))
        script.send('link_message', sender, number, text, id);
    });
  },
  shout: (text) => void land.log.errors.push(`${placed().body.name}: ${text}`),
});

const gifts = (land: Land, placed: PlacementReader): Pick<WorldView, 'give' | 'transfer'> => ({
  give: (to, item) => {
    // An item that may not be copied leaves the object.
    if ((item.permissions & 0x8000) === 0) placed().remove(item.name);
    // If the gift is declined or beyond the limit, the item is lost. The script does not learn of that either.
    const isTaken = land.around.takesGift?.(to, item, placed()) ?? true;
    if (!land.may('gift', placed().body.owner, 5000, 3600) || !isTaken) return;
    land.log.given.push({ to, item: item.name });
    land.around.onGive?.(to, item, placed());
  },
  transfer: (to, amount, answer, id) => {
    const { around, region, closed } = land;
    if (around.transfer) around.transfer(placed(), to, amount, answer, id);
    else if (region.hasNoTransfers) answer('TRANSFERS_DISABLED');
    else if (closed.has(to)) answer('LINDENDOLLAR_ENTITYDOESNOTEXIST');
    else answer(land.move(placed().body.owner, to, amount) ? undefined : 'LINDENDOLLAR_INSUFFICIENTFUNDS');
  },
});

export const aroundOf = (land: Land, placed: PlacementReader): Omit<WorldView, 'loadScript'> => ({
  ...ofRegion(land, placed),
  ...avatars(land),
  ...addresses(land),
  ...speech(land, placed),
  ...gifts(land, placed),
});

import { createHmac } from 'node:crypto';
import { newKey } from '../../../local/grid/keys.ts';
import { virtualClock } from '../../../local/grid/world/clock.ts';
import type { Placement } from '../../../local/grid/world/land.ts';
import { createWorld } from '../../../local/grid/world/world.ts';
import { owner, scriptOf } from './shop.ts';

/** The shipped cashier in a made-up region, and a service in virtual time that keeps the rules of payouts. */

export const [ada, bo, thief] = [
  '22222222-2222-4333-8444-555555555555',
  '33333333-2222-4333-8444-555555555555',
  '66666666-2222-4333-8444-555555555555',
];
const hour = 3_600_000;

interface Payout {
  id: string;
  residentUuid: string;
  amount: number;
  state: 'claimed' | 'unknown' | 'paid' | 'failed';
  transactionId: string | null;
  error: string | null;
  at: number;
}

interface Answer {
  status: number;
  fields: object;
}

const problem = (status: number, detail: string): Answer => ({ status, fields: { status, detail } });

/** The rules of payouts: debts, one claim for each Idempotency-Key, reports, and a sweep after ten minutes. */
const createBooks = (now: () => number) => {
  const owed = new Map<string, number>();
  const failedAt = new Map<string, number>();
  const payouts = new Map<string, Payout>();
  const claims = new Map<string, { body: string; answer: Answer }>();

  const claim = (body: string): Answer => {
    const { minimum, limit } = JSON.parse(body);
    const isWaiting = (payee: string): boolean => now() < (failedAt.get(payee) ?? 0) + hour;
    const found = [...owed].find(([payee, amount]) => Math.min(amount, limit) >= minimum && !isWaiting(payee));
    if (!found) return { status: 200, fields: { payout: null } };
    const [residentUuid, all] = found;
    const amount = Math.min(all, limit);
    const id = newKey();
    const payout: Payout = { id, residentUuid, amount, state: 'claimed', transactionId: null, error: null, at: now() };
    owed.set(residentUuid, all - amount);
    payouts.set(id, payout);
    return { status: 200, fields: { payout: { ...payout } } };
  };

  const report = (id: string, body: string): Answer => {
    const payout = payouts.get(id);
    if (!payout) return problem(404, 'The requested resource was not found.');
    const { result, transactionId = null, error = null } = JSON.parse(body);
    const isSame = payout.state === result && payout.transactionId === transactionId && payout.error === error;
    const hasEnded = payout.state === 'paid' || payout.state === 'failed';
    if (hasEnded && !isSame && !(payout.state === 'failed' && result === 'paid'))
      return problem(400, `The payout has ended as ${payout.state}.`);
    if (!isSame && result === 'failed') {
      owed.set(payout.residentUuid, (owed.get(payout.residentUuid) ?? 0) + payout.amount);
      failedAt.set(payout.residentUuid, now());
    }
    Object.assign(payout, { state: result, transactionId, error });
    return { status: 200, fields: { ...payout } };
  };

  return {
    owed,
    payouts,
    claim: (key: string, body: string): Answer => {
      const known = claims.get(key);
      if (known && known.body !== body) return problem(422, 'The key was used for another request.');
      const answer = known?.answer ?? claim(body);
      claims.set(key, { body, answer });
      return answer;
    },
    report,
    sweep: (): void => {
      for (const payout of payouts.values())
        if (payout.state === 'claimed' && now() >= payout.at + 600_000) payout.state = 'unknown';
    },
  };
};

type Transfer = (to: string, amount: number, answer: (error?: string) => void, by: Placement) => void;
interface Request {
  path: string;
  key: string;
  id: string;
  body: string;
  at: number;
}

export const openTill = ({ at = 1_900_000_000_000 }: { at?: number } = {}) => {
  const clock = virtualClock(at);
  const books = createBooks(clock.now);
  const service = {
    seconds: 0.5,
    keys: ['one', 'two'],
    requests: [] as Request[],
    /** A status instead of the service's answer, before anything happens. */
    refuses: (_path: string): number | undefined => undefined,
    /** The service does what it was asked, and nobody hears its answer. */
    loses: (_path: string): boolean => false,
    /** Changes an answer. */
    says: (_path: string, fields: object): object => fields,
  };
  /** L$ that have moved, whatever the script was told. */
  const moved: { to: string; amount: number; by: string; at: number }[] = [];
  const tries: number[] = [];
  const bank: { transfer: Transfer } = { transfer: (_to, _amount, answer) => clock.after(0.5, () => answer()) };
  const world = createWorld({
    clock,
    nameOf: () => undefined,
    uuidOf: () => undefined,
    send: ({ url, method, headers, body }, tell) => {
      const path = new URL(url).pathname;
      const key = headers['X-API-Key'] ?? '';
      const later = (status: number, fields: object, type = 'application/json'): void =>
        clock.after(service.seconds, () => tell({ status, type, body: JSON.stringify(fields) }));
      if (!service.keys.includes(key)) return later(401, {}, 'application/problem+json');
      if (method === 'GET') return later(200, service.says(path, { key: { name: 'till', scopes: ['payouts:pay'] } }));
      const id = headers['Idempotency-Key'] ?? '';
      service.requests.push({ path, key, id, body, at: clock.now() });
      const refused = service.refuses(path);
      if (refused === 0) return;
      if (refused !== undefined) return later(refused, { detail: 'Oh.' });
      books.sweep();
      const [, reported] = /payouts\/([^/]+)\/actions\/report/.exec(path) ?? [];
      const { status, fields } = reported ? books.report(reported, body) : books.claim(id, body);
      if (!service.loses(path)) later(status, service.says(path, fields));
    },
    transfer: (by, to, amount, answer) => {
      tries.push(clock.now());
      const tell = (error?: string): void => {
        if (error === undefined) moved.push({ to, amount, by: by.body.id, at: clock.now() });
        answer(error);
      };
      bank.transfer(to, amount, tell, by);
    },
  });
  const allow = (): void => {
    for (const { answer, text } of world.log.dialogs.splice(0)) if (text.startsWith('permissions')) answer('Allow');
    clock.advance(1);
  };
  const cardOf = (key = 'one', ...more: string[]): string[] => [
    'service = https://s.example',
    `key = ${key}`,
    ...(more.length > 0 ? more : ['limit = 10000']),
  ];
  const place = (card = cardOf()): Placement => {
    const script = scriptOf('cashier');
    const cashier = world.rez({ owner, name: 'cashier', script, notecards: { cashier: card }, items: [] });
    clock.advance(10);
    allow();
    return cashier;
  };
  const told = (): string[] => world.log.messages.map(({ text }) => text);
  const claims = (): Request[] => service.requests.filter(({ path }) => path.endsWith('/claim'));
  const reports = (): unknown[] =>
    service.requests.filter(({ path }) => path.endsWith('/report')).map(({ body }) => JSON.parse(body));
  const ends = (): [string, number, string | null][] =>
    [...books.payouts.values()].map(({ state, amount, error }) => [state, amount, error]);
  const paidTo = (who: string): number[] => moved.filter(({ to }) => to === who).map(({ amount }) => amount);
  return {
    clock,
    world,
    service,
    books,
    bank,
    moved,
    tries,
    allow,
    cardOf,
    place,
    told,
    claims,
    reports,
    ends,
    paidTo,
  };
};

const passOf = (key: string, by: string): string => createHmac('sha256', key).update(by).digest('base64');

/** The values that a cashier has noted about payouts. */
export const notesOf = ({ body }: Placement): string[] =>
  [...body.linksetData].filter(([name]) => name.startsWith(`sis:c:${body.id}:n`)).map(([, { value }]) => value);

/** Writes an entry with the pass of a key, as the script with that key does. */
export const writeAs = ({ body }: Placement, name: string, value: string, key = 'one', by = owner): void => {
  body.functions['integer llLinksetDataWriteProtected(string, string, string)']?.(
    ...([name, value, passOf(key, by)] as never[]),
  );
};

/** Links a prim with a script that does this when it is touched. */
export const linkScript = (world: ReturnType<typeof openTill>['world'], to: Placement, statements: string) => {
  const script = `default { touch_start(integer n) { ${statements} } }`;
  const other = world.rez({ owner: thief, name: 'decoration', script, notecards: {}, items: [] });
  world.link(to, other);
  return other;
};

import { now, timestamp } from '../clock.ts';
import { keyStage, newPageKey } from '../keys.ts';
import { invalid, Problem, unauthorized } from '../problem.ts';
import type { BegunPage } from '../routes/me.ts';
import { decide, writeOne } from '../table/decide.ts';
import { partition, sharedKey } from '../table/keys.ts';
import { above, all, any, below, type Condition, missing, present, update } from '../table/language.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { get, write } from '../table/table.ts';

/**
 * The page of a customer shows what a store holds for one avatar. Its code begins it, once; then its token reads it and
 * acts on it:
 *
 *     opened        begun                                   ends, and the TTL
 *        |--- code ---|-------------- token ------------------|
 *        |  10 minutes at most  |  "used already" until here
 *
 * Each row of a page looks at this record, and counts in it. So a page that has ended or was erased is over at once,
 * whatever the gateway remembers.
 */
export interface CustomerPage {
  id: string;
  store: string;
  uuid: string;
  username: string;
  /** SHA-256 of the secret of the code, in hex. */
  codeHash: string;
  codeUntil: string;
  /** SHA-256 of the secret of the token, in hex. The page has one since it was begun. */
  hash?: string;
  begunAt?: string;
  /** The end of the page. */
  expiresAt?: string;
  /** When the customer ended the page. */
  endedAt?: string;
  /** The acts and reads so far. */
  acts?: number;
  reads?: number;
}

/** A page that has begun. */
export type BegunRecord = CustomerPage & { expiresAt: string };

export const codeMillis = 10 * 60_000;
export const tokenMillis = 60 * 60_000;

/** The most acts and reads that one page may make. */
const most = { acts: 20, reads: 300 };

type Counted = keyof typeof most;

export const pageKey = (id: string): Key => sharedKey('PAGE', id);

/** The item by which an erasure, or the deletion of a store, finds a page. */
export const pageListKey = (store: string, uuid: string, id: string): Key => ({
  pk: partition(store, 'PAGES'),
  sk: `${uuid}#${id}`,
});

export const endOf = (millis: number) => ({ [ttlAttribute]: Math.ceil(millis / 1000) });

export const findPage = (id: string): Promise<CustomerPage | undefined> => get<CustomerPage>(pageKey(id));

export const isCodeLive = ({ codeUntil }: CustomerPage): boolean => timestamp(now()) < codeUntil;

/** True while the page's token is taken. */
export const isUnderWay = ({ hash, endedAt, expiresAt = '' }: CustomerPage): boolean =>
  hash !== undefined && endedAt === undefined && timestamp(now()) < expiresAt;

const underWay = (): Condition => all(present('hash'), missing('endedAt'), above('expiresAt', timestamp(now())));

/** The page whose code asks, begun or not. Throws 401 if the code's time is over, or the page was erased. */
export const demandCode = async (id: string): Promise<CustomerPage> => {
  const page = await findPage(id);
  if (!page || !isCodeLive(page)) throw unauthorized();
  return page;
};

/** Begins the page whose code asks. Throws 401 if the code's time is over, and 400 if it was used. */
export const beginPage = (id: string): Promise<BegunPage> =>
  decide(async () => {
    const { uuid, username, begunAt } = await demandCode(id);
    if (begunAt !== undefined)
      throw invalid(`This code was used already, at ${begunAt}. Ask for a new one: each begins one page.`);
    const { hash, text } = newPageKey(keyStage(), id);
    const end = now() + tokenMillis;
    const expiresAt = timestamp(end);
    const isUnused = all(missing('hash'), above('codeUntil', timestamp(now())));
    return writeOne<CustomerPage, BegunPage>(
      update(pageKey(id), { set: { hash, begunAt: timestamp(now()), expiresAt, ...endOf(end) }, when: isUnused }),
      { answer: () => ({ token: text, expiresAt, uuid, username }) },
    );
  });

/** The page whose token asks. Throws 401 if it has ended. */
export const demandPage = async (id: string): Promise<BegunRecord> => {
  const page = await findPage(id);
  if (!page || !isUnderWay(page)) throw unauthorized();
  return page as BegunRecord;
};

const refusals: Record<Counted, string> = {
  acts: 'This page has done all that one page may do. Open a new one later.',
  reads: 'This page has been read too often. Open a new one later.',
};

/**
 * Counts an act or a read of the page whose token asks, and answers the page. Throws 401 if the page has ended, and 429
 * if it has used up its acts or reads.
 */
export const countIn = async (id: string, what: Counted): Promise<BegunRecord> => {
  const hasRoom = any(missing(what), below(what, most[what]));
  const counted = update(pageKey(id), { add: { [what]: 1 }, when: all(underWay(), hasRoom) });
  // After a lost answer it may count twice, which is better than a refusal.
  const outcome = await write<BegunRecord>(counted, { repeatable: true });
  if (outcome.done) return outcome.result;
  const { found } = outcome;
  if (!found || !isUnderWay(found)) throw unauthorized();
  const seconds = Math.ceil((Date.parse(found.expiresAt) - now()) / 1000);
  throw new Problem(429, refusals[what], [], { 'Retry-After': String(Math.max(1, seconds)) });
};

/** Ends the page whose token asks. Throws 401 if it has ended already. */
export const endPage = async (id: string): Promise<void> => {
  const ending = update(pageKey(id), { set: { endedAt: timestamp(now()) }, when: underWay() });
  const { done } = await write(ending, { answer: () => undefined });
  if (!done) throw unauthorized();
};

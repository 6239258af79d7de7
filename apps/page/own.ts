import { useEffect, useRef, useState } from 'preact/hooks';
import type { BeginPageResponse, MeResponse, RedeemedCardsResponse } from '../client/types.ts';
import { NoAnswer, post, put, Refused } from './api.ts';
import { pageOf } from './code.ts';
import { explain } from './faults.ts';
import { type Held, type Listed, readFollowing, readHeld, readMore } from './held.ts';
import type { Speech } from './language.ts';
import type { Over } from './parts/door.tsx';
import type { Said } from './parts/toast.tsx';
import { forgetAll, keep, kept, takeCode } from './session.ts';

/** The screen of a tab, and the acts of the person there. */

export type View =
  | { at: 'no-code'; isBroken: boolean }
  | { at: 'ready'; code: string }
  | { at: 'reading' }
  /** `until`: when it may be read again, if it was read too often. */
  | { at: 'unread'; until?: number }
  | { at: 'own'; held: Held }
  /** `until`: the end of a page that could not be told to end. */
  | { at: 'over'; why: Over; until?: string };

/** The first screen: a code of the link goes before a page that this tab has open, unless it is the same page's. */
const firstView = (isWhole: boolean): View => {
  const [code, token] = [kept('page.code'), kept('page.token')];
  if (code !== undefined && (token === undefined || pageOf(code) !== pageOf(token))) return { at: 'ready', code };
  keep('page.code', undefined);
  if (token !== undefined) return { at: 'reading' };
  return { at: 'no-code', isBroken: !isWhole };
};

/** History and deliveries follow an act by a moment. */
const followMillis = 3000;

const isOver = (error: unknown): boolean => error instanceof Refused && error.status === 401;

/** The page that this tab has open: reads it, and never shows what it has read of a page that is over meanwhile. */
const useReading = () => {
  const [view, setView] = useState<View>();
  const shown = useRef<View>(undefined);
  shown.current = view;
  const heldNow = (): Held | undefined => (shown.current?.at === 'own' ? shown.current.held : undefined);
  const end = (why: Over, until?: string): void => {
    forgetAll();
    setView({ at: 'over', why, ...(until !== undefined && { until }) });
  };
  /** Reads all of it. Throws what is no end of the page. */
  const refresh = async (): Promise<void> => {
    const token = kept('page.token');
    if (token === undefined) return end('ended');
    try {
      const held = await readHeld(token, heldNow());
      if (kept('page.token') === token) setView({ at: 'own', held });
    } catch (error) {
      if (kept('page.token') !== token) return;
      if (!isOver(error)) throw error;
      end('ended');
    }
  };
  /** Reads it for the first time, or says why it cannot. */
  const begin = async (): Promise<void> => {
    setView({ at: 'reading' });
    try {
      await refresh();
    } catch (error) {
      const isTooOften = error instanceof Refused && error.status === 429;
      setView(isTooOften ? { at: 'unread', until: Date.now() + 1000 * error.seconds } : { at: 'unread' });
    }
  };
  /** Puts in place what an act has answered. */
  const change = (some: Partial<Held>): void => {
    const held = heldNow();
    if (held) setView({ at: 'own', held: { ...held, ...some } });
  };
  /** Reads only what follows an act by a moment: a page may not read without end. */
  const follow = async (): Promise<void> => {
    const [token, held] = [kept('page.token'), heldNow()];
    if (token === undefined || !held) return;
    try {
      const some = await readFollowing(token, held);
      if (kept('page.token') === token) change(some);
    } catch (error) {
      if (kept('page.token') === token && isOver(error)) end('ended');
    }
  };
  return { view, setView, heldNow, end, refresh, begin, change, follow };
};

type Reading = ReturnType<typeof useReading>;

/** Ends what is shown when its hour is over, also while nobody touches it. */
const useEnd = ({ view, end, refresh }: Reading): void => {
  const expiresAt = view?.at === 'own' ? view.held.me.expiresAt : undefined;
  useEffect(() => {
    if (expiresAt === undefined) return;
    let timer: ReturnType<typeof setTimeout>;
    // The clock of this device may be wrong, so the store is asked, and asked again.
    const look = async (): Promise<void> => {
      timer = setTimeout(look, 60_000);
      await refresh().catch(() => end('ended'));
    };
    const left = Date.parse(expiresAt) - Date.now();
    timer = setTimeout(look, Math.min(3_600_000, Math.max(1000, left)));
    return () => clearTimeout(timer);
  }, [expiresAt]);
};

/** Begins the page of a code. Answers why it could not, if the code may still be good. */
const beginBy =
  ({ setView, begin }: Reading, { t, clock }: Speech) =>
  async (code: string): Promise<string | undefined> => {
    keep('page.code', code);
    try {
      const { token } = await post<BeginPageResponse>(code, '/actions/begin');
      keep('page.token', token);
      keep('page.code', undefined);
    } catch (error) {
      if (error instanceof NoAnswer) return t.faults.openNoAnswer;
      if (!(error instanceof Refused)) throw error;
      if (error.status === 429) return t.faults.busy(clock(Date.now() + 1000 * Math.max(60, error.seconds)));
      keep('page.code', undefined);
      setView({ at: 'over', why: error.status === 400 ? 'used' : 'over' });
      return undefined;
    }
    await begin();
    return undefined;
  };

/** Redeems a card, or all of them, however many there are. Answers the L$. */
const redeemCards = async (token: string, card: string | undefined): Promise<number> => {
  let sum = 0;
  for (;;) {
    const body = card === undefined ? undefined : { card };
    const { amount, cards, more } = await post<RedeemedCardsResponse>(token, '/giftcards/actions/redeem', body);
    sum += amount;
    if (card !== undefined || !more || cards === 0) return sum;
  }
};

/** The acts of a page that is open. Each says what it has done or why not, and reads the figures again. */
const useActs = (reading: Reading, speech: Speech) => {
  const { heldNow, end, refresh, change, follow } = reading;
  const { t } = speech;
  const [said, setSaid] = useState<Said>();
  const [onTheirWay, setOnTheirWay] = useState<ReadonlyMap<string, string>>(new Map());

  /** Does something with the token. Answers false if it was not done. */
  const act = async (work: (token: string) => Promise<string | undefined>): Promise<void> => {
    const token = kept('page.token');
    if (token === undefined) return end('ended');
    setSaid(undefined);
    try {
      const text = await work(token);
      if (text !== undefined) setSaid({ text, isBad: false });
    } catch (error) {
      if (isOver(error)) return end('ended');
      setSaid({ text: explain(error, speech, heldNow()?.me.expiresAt ?? ''), isBad: true });
    }
  };
  const lookAgain = async (): Promise<void> => {
    await refresh().catch(() => setSaid((before) => before ?? { text: t.faults.reading, isBad: true }));
    setTimeout(follow, followMillis);
  };

  const send = async ({ productId, name }: Held['products']['rows'][number]): Promise<void> => {
    await act(async (token) => {
      await post(token, `/products/${productId}/actions/redeliver`);
      setOnTheirWay((before) => new Map(before).set(productId, new Date().toISOString()));
      return t.products.sent(name || t.products.gone);
    });
    await lookAgain();
  };
  const redeem = async (card: Held['cards']['rows'][number] | undefined): Promise<void> => {
    await act(async (token) => {
      const sum = await redeemCards(token, card?.card);
      return sum === 0 ? t.cards.nothing : t.cards.redeemed(speech.money(sum));
    });
    await lookAgain();
  };
  const subscribe = (newsSubscriber: boolean): Promise<void> =>
    act(async (token) => {
      const me = await put<MeResponse>(token, '', { newsSubscriber });
      change({ me });
      return me.newsSubscriber ? t.news.on : t.news.off;
    });
  const more =
    <Name extends 'products' | 'cards' | 'history'>(name: Name) =>
    (): Promise<void> =>
      act(async (token) => {
        const held = heldNow();
        if (!held) return undefined;
        const listed = await readMore(token, name, held[name] as Listed<Held[Name]['rows'][number]>);
        change({ [name]: listed });
        return undefined;
      });
  return { said, close: () => setSaid(undefined), onTheirWay, send, redeem, subscribe, more };
};

/** Ends the page. Nothing of it stays on the screen, whether the store answers or not. */
const leaveBy =
  ({ heldNow, end }: Reading) =>
  async (): Promise<void> => {
    const [token, until] = [kept('page.token') ?? '', heldNow()?.me.expiresAt];
    try {
      await post(token, '/actions/end');
      end('left');
    } catch (error) {
      if (isOver(error)) end('left');
      else end('left', until);
    }
  };

/** The whole of a tab: from the link to the page, and out of it. */
export const useOwnPage = (isWhole: boolean, speech: Speech) => {
  const reading = useReading();
  const { view, setView, begin } = reading;
  const acts = useActs(reading, speech);
  useEnd(reading);
  const enter = (isWhole: boolean): void => {
    const first = firstView(isWhole);
    setView(first);
    if (first.at === 'reading') void begin();
  };
  useEffect(() => {
    enter(isWhole);
    // A link that is opened in a tab with the page loads nothing.
    const follow = (): void => {
      if (location.hash !== '') enter(takeCode());
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return { view, acts, open: beginBy(reading, speech), leave: leaveBy(reading), again: begin };
};

import gift from 'lucide/dist/esm/icons/gift.mjs';
import ticket from 'lucide/dist/esm/icons/ticket-percent.mjs';
import { useState } from 'preact/hooks';
import type { MeResponse } from '../../client/types.ts';
import type { Held } from '../held.ts';
import { useSpeech } from '../speech.ts';
import { Ask } from './ask.tsx';
import { Icon } from './icon.tsx';
import { Section } from './section.tsx';

type Card = Held['cards']['rows'][number];

/** The address of pictures, with `{uuid}` for the texture. Empty if the deployment has none. */
const textures = document.querySelector<HTMLMetaElement>('meta[name=textures]')?.content ?? '';

const Picture = ({ texture }: { texture: string | null }) => {
  const [hasFailed, setFailed] = useState(false);
  if (texture === null || textures === '' || hasFailed)
    return (
      <span class="bullet is-good">
        <Icon of={gift} />
      </span>
    );
  const address = textures.replace('{uuid}', texture);
  return <img class="picture" src={address} alt="" loading="lazy" onError={() => setFailed(true)} />;
};

interface CardsProps {
  cards: Held['cards'];
  me: MeResponse;
  /** Redeems a card; undefined redeems all. */
  redeem: (card: Card | undefined) => Promise<void>;
  more: () => Promise<void>;
}

/** The question before a card, or all of them, are redeemed. */
const useQuestion = ({ me, redeem }: CardsProps) => {
  const { t, money } = useSpeech();
  const [asked, setAsked] = useState<Card | 'all'>();
  const words = t.cards;
  const common = { yes: words.redeem, onClose: () => setAsked(undefined) };
  const all = asked === 'all' && (
    <Ask
      {...common}
      title={words.askAll}
      lines={[words.effectAll(me.store.name), words.forGoodAll]}
      onYes={() => redeem(undefined)}
    />
  );
  const one = asked !== undefined && asked !== 'all' && (
    <Ask
      {...common}
      title={words.ask(money(asked.credit))}
      lines={[
        words.effect(money(asked.credit), me.store.name),
        [words.forGood, asked.transfer ? words.transfer : ''].join(' '),
      ]}
      onYes={() => redeem(asked)}
    />
  );
  return { setAsked, question: all || one };
};

const Discounts = ({ me: { discount, coupons } }: Pick<CardsProps, 'me'>) => {
  const { t, percent, end } = useSpeech();
  const words = t.cards;
  const own = discount > 0 ? [{ key: 'own', title: words.offAll(percent(discount)), note: words.ownNote }] : [];
  const applied = coupons.map(({ code, discount, scope, product, expiresAt }) => {
    const share = percent(discount);
    const ofProduct = words.coupon(share, product?.name ?? t.history.gone);
    return {
      key: `${code} ${product?.id}`,
      title: scope === 'store' ? words.offAll(share) : ofProduct,
      note: words.couponNote(code, end(expiresAt)),
    };
  });
  return (
    <>
      {[...own, ...applied].map(({ key, title, note }) => (
        <li key={key}>
          <span class="bullet">
            <Icon of={ticket} />
          </span>
          <span class="grow">
            <b>{title}</b>
            <small>{note}</small>
          </span>
        </li>
      ))}
    </>
  );
};

/** Gift cards to redeem, the own discount, and the coupons that count. */
export const Cards = (props: CardsProps) => {
  const { t, money } = useSpeech();
  const { cards, me, more } = props;
  const { setAsked, question } = useQuestion(props);
  const { rows, next } = cards;
  const words = t.cards;
  const hasNone = rows.length === 0 && me.discount === 0 && me.coupons.length === 0;
  const all = rows.length > 1 && (
    <button type="button" class="button" onClick={() => setAsked('all')}>
      {words.redeemAll}
    </button>
  );
  return (
    <Section title={words.title} aside={all} more={next === null ? undefined : more}>
      {hasNone && <p class="note">{words.none}</p>}
      <ul class="rows">
        {rows.map((card) => (
          <li key={card.card}>
            <Picture texture={card.texture} />
            <span class="grow">
              <b>{words.card(money(card.credit))}</b>
              <small>{words.becomes}</small>
            </span>
            <button
              type="button"
              class="button is-main"
              aria-label={words.redeemOf(money(card.credit))}
              onClick={() => setAsked(card)}
            >
              {words.redeem}
            </button>
          </li>
        ))}
        <Discounts me={me} />
      </ul>
      {question}
    </Section>
  );
};

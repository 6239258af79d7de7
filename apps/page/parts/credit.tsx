import clockIcon from 'lucide/dist/esm/icons/clock.mjs';
import { useState } from 'preact/hooks';
import type { MeResponse } from '../../client/types.ts';
import type { Share } from '../lots.ts';
import { useSpeech } from '../speech.ts';
import { Icon } from './icon.tsx';
import { Section } from './section.tsx';
import { Title } from './title.tsx';

/** The figure: the credit to spend, and beside it the credit for one's own purchases alone. */
export const Hero = ({ me }: { me: MeResponse }) => {
  const { t, money } = useSpeech();
  return (
    <section class="hero">
      <Title>{t.credit.yours(me.username)}</Title>
      <p class="figure">{money(me.credit)}</p>
      {me.restrictedCredit > 0 && <p>{t.credit.restricted(money(me.restrictedCredit))}</p>}
    </section>
  );
};

/** Credit that ends within a month gets a colour. */
const soonDays = 30;

const isSoon = ({ end }: Share): boolean => end !== null && end.days <= soonDays;

/** The next credit that ends, and when. */
export const NextEnd = ({ share }: { share: Share | undefined }) => {
  const { t, money, date, clock, inDays } = useSpeech();
  if (!share?.end) return null;
  const { amount, end } = share;
  const isToday = end.days === 0;
  return (
    <p class={`notice ${isSoon(share) ? 'is-warn' : ''}`}>
      <Icon of={clockIcon} />
      <span>
        <b>
          {isToday
            ? t.credit.endsToday(money(amount), amount, clock(end.at))
            : t.credit.ends(money(amount), amount, date(end.at))}
        </b>
        {isToday ? '.' : t.credit.endsWhen(inDays(end.days))} {t.credit.first}
      </span>
    </p>
  );
};

export const ClosedStore = () => {
  const { t } = useSpeech();
  return (
    <p class="notice">
      <Icon of={clockIcon} />
      <span>{t.credit.closed}</span>
    </p>
  );
};

/** The bars that are shown at first. */
const firstBars = 6;

const Bar = ({ share }: { share: Share }) => {
  const speech = useSpeech();
  const { t, money } = speech;
  const { type, amount, end, width } = share;
  const when = end ? `${t.lots.until(speech.end(end.at))} · ${speech.days(end.days)}` : t.lots.never;
  return (
    <li>
      <p>
        <b>{money(amount)}</b>
        <small>{when}</small>
      </p>
      {type === 'restricted' && <small>{t.lots.restricted}</small>}
      <svg class={`meter ${isSoon(share) ? 'is-soon' : ''}`} preserveAspectRatio="none" aria-hidden="true">
        <rect width="100%" height="100%" />
        <rect width={`${width}%`} height="100%" />
      </svg>
    </li>
  );
};

/** How long each part of the credit lasts. */
export const Lots = ({ shares }: { shares: readonly Share[] }) => {
  const { t } = useSpeech();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? shares : shares.slice(0, firstBars);
  const more = shown.length < shares.length ? () => setWhole(true) : undefined;
  return (
    <Section title={t.lots.title} more={more}>
      {shares.length === 0 && <p class="note">{t.lots.none}</p>}
      <ul class="bars">
        {shown.map((share) => (
          <Bar key={`${share.type} ${share.end?.at}`} share={share} />
        ))}
      </ul>
    </Section>
  );
};

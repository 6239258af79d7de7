import clock from 'lucide/dist/esm/icons/clock.mjs';
import gift from 'lucide/dist/esm/icons/gift.mjs';
import coins from 'lucide/dist/esm/icons/hand-coins.mjs';
import bag from 'lucide/dist/esm/icons/shopping-bag.mjs';
import undo from 'lucide/dist/esm/icons/undo-2.mjs';
import { tellChange } from '../change.ts';
import type { Held } from '../held.ts';
import { useSpeech } from '../speech.ts';
import { Icon } from './icon.tsx';
import { Section } from './section.tsx';

type Change = Held['history']['rows'][number];

const icons: Partial<Record<Change['kind'], typeof bag>> = {
  sale: bag,
  bonus: gift,
  redeem: gift,
  expire: clock,
  refund: undo,
  undo,
};

const Row = ({ change }: { change: Change }) => {
  const speech = useSpeech();
  const { title, note, sum } = tellChange(change, speech);
  const isGain = sum > 0;
  return (
    <li>
      <span class={`bullet ${isGain ? 'is-good' : ''}`}>
        <Icon of={icons[change.kind] ?? coins} />
      </span>
      <span class="grow">
        <b>{title}</b>
        <small>{note}</small>
      </span>
      <span class={`sum ${isGain ? 'is-good' : ''}`}>{speech.signed(sum)}</span>
    </li>
  );
};

/** All changes of the credit, the newest first. */
export const History = ({ history: { rows, next }, more }: { history: Held['history']; more: () => Promise<void> }) => {
  const { t } = useSpeech();
  return (
    <Section title={t.history.title} more={next === null ? undefined : more}>
      {rows.length === 0 && <p class="note">{t.history.none}</p>}
      <ol class="events">
        {rows.map((change) => (
          <Row key={change.sequence} change={change} />
        ))}
      </ol>
    </Section>
  );
};

import plus from 'lucide/dist/esm/icons/plus.mjs';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { StoreRulesResponse } from '../../client/client.ts';
import { ChangedMeanwhile } from '../api.ts';
import { date } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { Edit } from '../parts/edit.tsx';
import { Field, type Values } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { Icon } from '../parts/icon.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { priceUnder } from '../prices.ts';
import { useSession } from '../session.ts';
import { dayMillis } from '../sums.ts';
import { texts } from '../texts.ts';
import { tellForm } from '../unsaved.ts';
import { t } from './rules.texts.ts';

const maxTiers = 10;

/** An empty field counts as 0. A wrong number becomes not-a-number, so that the service says what the field accepts. */
const percentOf = (text: string | undefined): number => (text ? Number(text) : 0);
const numberOf = (text: string | undefined): number => (text ? Number(text) : Number.NaN);

/** The rules in a form with this many tiers. */
const rulesOf = (values: Values, tiers: number): StoreRulesResponse => ({
  groupDiscount: percentOf(values.groupDiscount),
  tiers: Array.from({ length: tiers }, (_, index) => ({
    from: numberOf(values[`tiers[${index}].from`]),
    percent: numberOf(values[`tiers[${index}].percent`]),
  })),
  bonus: {
    percent: percentOf(values['bonus.percent']),
    groupPercent: percentOf(values['bonus.groupPercent']),
    type: values['bonus.type'] === 'regular' ? 'regular' : 'restricted',
    expiresInDays: values['bonus.expiresInDays'] ? Number(values['bonus.expiresInDays']) : null,
  },
});

type Rules = StoreRulesResponse;

/** Rules as values that can be compared and merged: all tiers together are one value. */
const asValues = ({ groupDiscount, tiers, bonus }: Rules): Values => ({
  groupDiscount: String(groupDiscount),
  tiers: JSON.stringify(tiers),
  'bonus.percent': String(bonus.percent),
  'bonus.groupPercent': String(bonus.groupPercent),
  'bonus.type': bonus.type,
  'bonus.expiresInDays': String(bonus.expiresInDays ?? ''),
});

const fromValues = (values: Values): Rules => ({
  ...rulesOf(values, 0),
  // Not-a-number is null in JSON, which the service refuses with the same words.
  tiers: JSON.parse(values.tiers ?? '[]'),
});

const labels = {
  groupDiscount: `${t.group.title}: ${t.group.discount}`,
  tiers: t.tiers.title,
  'bonus.percent': t.bonus.percent,
  'bonus.groupPercent': t.bonus.groupPercent,
  'bonus.type': t.bonus.type,
  'bonus.expiresInDays': t.bonus.days,
};

const wordsOf = (name: string, value: string): string => {
  if (name === 'tiers') return (JSON.parse(value) as Rules['tiers']).map(t.tiers.inWords).join('; ');
  return name === 'bonus.type' ? t.bonus.types[value as Rules['bonus']['type']] : value;
};

const isPercent = (value: number): boolean => value >= 0 && value <= 100;

/** The rules without incomplete tiers; undefined if a percentage is not a number. */
const soundRules = (rules: StoreRulesResponse): StoreRulesResponse | undefined => {
  const tiers = rules.tiers.filter(({ from, percent }) => from >= 1 && isPercent(percent));
  const { percent, groupPercent, expiresInDays } = rules.bonus;
  const isSound = [rules.groupDiscount, percent, groupPercent].every(isPercent) && !Number.isNaN(expiresInDays ?? 0);
  return isSound ? { ...rules, tiers } : undefined;
};

interface AmountProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
}

/** L$ in the preview. No form sends them. */
const Amount = ({ label, value, onValue }: AmountProps) => (
  <label class="field">
    <span class="label">{label}</span>
    <div class="unit" data-unit="L$">
      <input
        type="number"
        min="0"
        inputMode="numeric"
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </div>
  </label>
);

const Percent = (props: { name: string; label: string; initial: string }) => (
  <Field {...props} type="number" min="0" step="any" unit="%" />
);

interface PreviewProps {
  rules: StoreRulesResponse | undefined;
}

/** Says how much a buyer would pay under the rules in the form, and how much credit they would get. */
const Preview = ({ rules }: PreviewProps) => {
  const [price, setPrice] = useState('800');
  const [spent, setSpent] = useState('5000');
  const [inGroup, setInGroup] = useState(true);
  const isWhole = /^\d{1,9}$/.test(price) && /^\d{1,9}$/.test(spent);
  const sentence = () => {
    if (!rules || !isWhole) return t.preview.none;
    const { total, bonus } = priceUnder(rules, Number(price), { spent: Number(spent), inGroup });
    const { expiresInDays, type } = rules.bonus;
    const until = expiresInDays === null ? null : date(new Date(Date.now() + expiresInDays * dayMillis).toISOString());
    return t.preview.sentence({ spent: Number(spent), inGroup, price: Number(price), total, bonus, type, until });
  };
  return (
    <Card title={t.preview.title}>
      <div class="pair">
        <Amount label={t.preview.price} value={price} onValue={setPrice} />
        <Amount label={t.preview.spent} value={spent} onValue={setSpent} />
      </div>
      <label class="check">
        <input type="checkbox" checked={inGroup} onChange={({ currentTarget }) => setInGroup(currentTarget.checked)} />
        <span>{t.preview.inGroup}</span>
      </label>
      <p class="effect" aria-live="polite">
        {sentence()}
      </p>
      <p class="help">{t.preview.help}</p>
    </Card>
  );
};

interface TiersProps {
  initial: StoreRulesResponse['tiers'];
  /** Called with the number of tiers in the form. */
  onCount: (tiers: number) => void;
}

/** Rows of an amount and a percentage, which can be added and removed. */
const Tiers = ({ initial, onCount }: TiersProps) => {
  const [rows, setRows] = useState(() => initial.map((tier, id) => ({ id, ...tier })));
  const next = useRef(initial.length);
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const isFirst = useRef(true);
  // Runs at once: a form that is sent before the next frame must have the added tier.
  useLayoutEffect(() => {
    onCount(rows.length);
    if (!isFirst.current) tellForm(fieldset.current?.form);
    isFirst.current = false;
  }, [rows]);
  const add = () => {
    setRows([...rows, { id: next.current, from: Number.NaN, percent: Number.NaN }]);
    next.current += 1;
  };
  const shown = (value: number): string => (Number.isNaN(value) ? '' : String(value));
  return (
    <fieldset ref={fieldset} class="stack">
      <legend>{t.tiers.title}</legend>
      <p class="help">{t.tiers.help}</p>
      {rows.map(({ id, from, percent }, index) => (
        <div key={id} class="tier">
          <Field
            name={`tiers[${index}].from`}
            label={t.tiers.from}
            type="number"
            min="1"
            unit="L$"
            initial={shown(from)}
            autoFocus={Number.isNaN(from)}
          />
          <Percent name={`tiers[${index}].percent`} label={t.tiers.percent} initial={shown(percent)} />
          <button
            type="button"
            class="button is-quiet"
            aria-label={t.tiers.removeOf(index + 1)}
            onClick={() => setRows(rows.filter((row) => row.id !== id))}
          >
            ×
          </button>
        </div>
      ))}
      {rows.length < maxTiers && (
        <button type="button" class="button fit" onClick={add}>
          <Icon of={plus} />
          {t.tiers.add}
        </button>
      )}
    </fieldset>
  );
};

const Bonus = ({ bonus }: Pick<StoreRulesResponse, 'bonus'>) => (
  <Card title={t.bonus.title} help={t.bonus.help}>
    <div class="pair">
      <Percent name="bonus.percent" label={t.bonus.percent} initial={String(bonus.percent)} />
      <Percent name="bonus.groupPercent" label={t.bonus.groupPercent} initial={String(bonus.groupPercent)} />
      <Field name="bonus.type" label={t.bonus.type} options={Object.entries(t.bonus.types)} initial={bonus.type} />
      <Field
        name="bonus.expiresInDays"
        label={t.bonus.days}
        help={t.bonus.daysHelp}
        type="number"
        min="1"
        initial={String(bonus.expiresInDays ?? '')}
      />
    </div>
  </Card>
);

/** The rules have no version, so they are read again and compared before they are saved. */
const EditRules = ({ rules, reload }: { rules: Rules; reload: () => void }) => {
  const { client } = useSession();
  const say = useSay();
  const [values, setValues] = useState<Values>();
  const [tiers, setTiers] = useState(rules.tiers.length);
  const latest = useRef(rules);
  const hasOthers = useRef(false);
  const readAgain = async (): Promise<Values> => {
    latest.current = await client.get('/v1/store/rules');
    hasOthers.current = true;
    return asValues(latest.current);
  };
  return (
    <div class="columns rules">
      <div>
        <Edit
          submit={t.save}
          onDiscard={reload}
          initial={asValues(rules)}
          labels={labels}
          wordsOf={wordsOf}
          onValues={setValues}
          valuesOf={(entered) => asValues(rulesOf(entered, tiers))}
          readAgain={readAgain}
          onTheirs={reload}
          save={async (changed) => {
            const now = await client.get('/v1/store/rules');
            if (JSON.stringify(now) !== JSON.stringify(latest.current)) throw new ChangedMeanwhile();
            const body = fromValues(changed);
            latest.current = await client.put('/v1/store/rules', { body });
            // The form shows what was entered, rather than what was merged into it.
            if (hasOthers.current) reload();
            say(t.saved);
          }}
        >
          <Card title={t.discounts}>
            <fieldset class="stack">
              <legend>{t.group.title}</legend>
              <p class="help">{t.group.help}</p>
              <div class="pair">
                <Percent name="groupDiscount" label={t.group.discount} initial={String(rules.groupDiscount)} />
              </div>
            </fieldset>
            <Tiers initial={rules.tiers} onCount={setTiers} />
          </Card>
          <Bonus bonus={rules.bonus} />
        </Edit>
      </div>
      <Preview rules={values && soundRules(rulesOf(values, tiers))} />
    </div>
  );
};

export const RulesPage = () => {
  const { client } = useSession();
  const rules = useLoad((signal) => client.get('/v1/store/rules', { signal }), []);
  return (
    <>
      <Heading title={texts.titles.rules} />
      <p class="help intro">{t.intro}</p>
      <Show of={rules}>{(found) => <EditRules key={found} rules={found} reload={rules.reload} />}</Show>
    </>
  );
};

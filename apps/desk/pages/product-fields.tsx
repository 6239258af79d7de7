import plus from 'lucide/dist/esm/icons/plus.mjs';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isUuid } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { Fold } from '../parts/fold.tsx';
import { ErrorLine, Field, Segments, useError, type Values } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { NamedCustomer } from '../parts/names.tsx';
import { hasTextures, Picture } from '../parts/picture.tsx';
import { tellForm } from '../unsaved.ts';
import { t } from './product.texts.ts';
import { enteredValues, kindOf, leftOf, previewOf, readShares } from './product-values.ts';

interface FieldsProps {
  /** The values as they are entered. */
  values: Values;
  initial: Values;
}

type FieldName = keyof typeof t.fields;

const of = (initial: Values, name: FieldName) => ({ name, label: t.fields[name], initial: initial[name] ?? '' });

const check = (initial: Values, name: FieldName) => ({
  name,
  label: t.fields[name],
  type: 'checkbox' as const,
  isChecked: initial[name] === 'on',
});

const Basics = ({ initial }: Pick<FieldsProps, 'initial'>) => (
  <Card title={t.cards.basics}>
    <div class="pair is-third">
      <Field {...of(initial, 'name')} maxLength={255} />
      <Field {...of(initial, 'price')} type="number" min="0" unit="L$" />
    </div>
    <Field {...of(initial, 'description')} type="textarea" maxLength={4096} />
  </Card>
);

const Discount = ({ values, initial, isNone }: FieldsProps & { isNone: boolean }) => {
  const preview = previewOf(values);
  const type = values['discount.type'];
  return (
    <Card title={t.cards.discount}>
      <Segments
        name="discount.type"
        label={t.fields['discount.type']}
        options={[['none', t.noDiscount], ...Object.entries(t.discountTypes)]}
        initial={kindOf(initial)}
      />
      <div hidden={isNone}>
        <div class="stack">
          <div class="pair">
            <Field
              {...of(initial, 'discount.value')}
              label={type === '2' ? t.discountedPrice : t.cards.discount}
              type="number"
              min="0"
              step="any"
              unit={type === '0' ? '%' : 'L$'}
            />
          </div>
          <div class="pair">
            <Field {...of(initial, 'discount.startDate')} type="datetime-local" />
            <Field {...of(initial, 'discount.endDate')} type="datetime-local" />
          </div>
        </div>
      </div>
      <p class="effect" aria-live="polite">
        {preview ? t.preview[preview.runs](preview.price) : t.previewNone}
      </p>
    </Card>
  );
};

interface ShareProps {
  place: number;
  /** The UUID of somebody who has a share already. */
  person: string;
  percent: string;
  onRemove: () => void;
}

const ShareRow = ({ place, person, percent, onRemove }: ShareProps) => {
  const name = `profitShares[${place}]`;
  const error = useError(name);
  return (
    <li class="partner">
      {person ? (
        <div class="field">
          <NamedCustomer uuid={person} />
          <input type="hidden" name={name} value={person} />
          <ErrorLine text={error} />
        </div>
      ) : (
        <Field name={name} label={t.shareOf(place + 1)} type="person" autoFocus />
      )}
      <Field
        name={`${name}.percent`}
        label={t.percentOf(place + 1)}
        type="number"
        min="0"
        step="any"
        unit="%"
        initial={percent}
      />
      <button type="button" class="button is-quiet" aria-label={t.removeShare(place + 1)} onClick={onRemove}>
        ×
      </button>
    </li>
  );
};

const Shares = ({ values, initial }: FieldsProps) => {
  const [rows, setRows] = useState(() =>
    readShares(initial.profitShares).map(([person, percent], id) => ({ id, person, percent })),
  );
  const next = useRef(rows.length);
  const list = useRef<HTMLUListElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (!isFirst.current) tellForm(list.current?.closest('form'));
    isFirst.current = false;
  }, [rows]);
  const price = previewOf(values)?.price;
  const { taken, left } = leftOf(price ?? 0, values.profitShares);
  const add = () => {
    setRows([...rows, { id: next.current, person: '', percent: '' }]);
    next.current += 1;
  };
  return (
    <Card title={t.cards.shares}>
      <ul ref={list}>
        {rows.map(({ id, person, percent }, place) => (
          <ShareRow
            key={id}
            place={place}
            person={person}
            percent={percent}
            onRemove={() => setRows(rows.filter((row) => row.id !== id))}
          />
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="button" onClick={add}>
          <Icon of={plus} />
          {t.addShare}
        </button>
        {taken > 100 ? (
          <ErrorLine text={t.tooMuch(taken)} />
        ) : (
          price !== undefined && <p class="help">{t.keep(price, left)}</p>
        )}
      </div>
    </Card>
  );
};

const Delivery = ({ values, initial }: FieldsProps) => {
  const rights = (['copy', 'modify', 'transfer'] as const).map((right) =>
    t.may(right, values[`permissions.${right}`] === 'on'),
  );
  return (
    <Fold look="card" title={t.cards.delivery} said={`${values.item || t.sameItem} · ${rights.join(', ')}`}>
      <Field {...of(initial, 'item')} help={t.itemHelp} maxLength={63} />
      <fieldset class="pair">
        <legend>{t.permissions}</legend>
        <Field {...check(initial, 'permissions.copy')} />
        <Field {...check(initial, 'permissions.modify')} />
        <Field {...check(initial, 'permissions.transfer')} />
      </fieldset>
    </Fold>
  );
};

const Rare = ({ values, initial }: FieldsProps) => {
  const said = [values.demoId && t.rare.demo, values.bloggable === 'on' && t.rare.bloggers].filter(Boolean);
  return (
    <Fold look="card" title={t.cards.rare} said={said.join(', ') || t.rare.none}>
      <Field {...of(initial, 'demoId')} type="product" />
      <Field {...check(initial, 'bloggable')} />
    </Fold>
  );
};

/** Shows a texture as soon as it is entered, or says why it cannot. */
const PictureCard = ({ id = '', values, initial }: FieldsProps & { id: string | undefined }) => {
  const [failed, setFailed] = useState<string>();
  const { name = '', image = '' } = values;
  const isWhole = isUuid(image);
  const said = !isWhole ? '' : !hasTextures ? t.noTextures : image === failed ? t.noTexture : '';
  return (
    <Card title={t.cards.picture}>
      {(name || isWhole) && (
        <div class="whole-picture">
          <Picture of={{ id, name, ...(isWhole && { image }) }} onFail={setFailed} />
        </div>
      )}
      <p class="help" role="status">
        {said}
      </p>
      <Field {...of(initial, 'image')} help={t.imageHelp} maxLength={36} />
    </Card>
  );
};

const Availability = ({ values, initial }: FieldsProps) => (
  <Card title={t.cards.availability}>
    <div class="switches">
      <Field {...check(initial, 'active')} help={t.activeHelp} />
      <Field {...check(initial, 'listed')} help={t.listedHelp} />
      <Field {...check(initial, 'blockCredits')} />
      <Field {...check(initial, 'limited')} />
    </div>
    <div hidden={values.limited !== 'on' && values.availableAmount === initial.availableAmount}>
      <Field {...of(initial, 'availableAmount')} type="number" min="0" />
    </div>
  </Card>
);

interface FormProps {
  /** The product, if there is one yet. */
  id?: string;
  /** The values of the form's fields, once it has told them. */
  entered: Values | undefined;
  initial: Values;
  children?: ComponentChildren;
}

/** The form of a product in cards. `children` stand below those at the side. */
export const Fields = ({ id, entered, initial, children }: FormProps) => {
  const of = { values: entered ? enteredValues(entered) : initial, initial };
  return (
    <div class="columns">
      <div class="stack">
        <Basics {...of} />
        <Discount {...of} isNone={(entered?.['discount.type'] ?? kindOf(initial)) === 'none'} />
        <Shares {...of} />
        <Delivery {...of} />
        <Rare {...of} />
      </div>
      <div class="stack">
        <PictureCard {...of} id={id} />
        <Availability {...of} />
        {children}
      </div>
    </div>
  );
};

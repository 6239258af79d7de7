import { Field, type Values } from '../parts/form.tsx';
import { t } from './product.texts.ts';
import { previewOf } from './product-values.ts';

const Preview = ({ values }: { values: Values }) => {
  const preview = previewOf(values);
  return (
    <p class="effect" aria-live="polite">
      {preview ? t.preview[preview.runs](preview.price) : t.previewNone}
    </p>
  );
};

export const Fields = ({ values, initial }: { values: Values; initial: Values }) => {
  const of = (name: string) => ({ name, label: t.fields[name as keyof typeof t.fields], initial: initial[name] ?? '' });
  const check = (name: string) => ({
    name,
    label: t.fields[name as keyof typeof t.fields],
    type: 'checkbox' as const,
    isChecked: initial[name] === 'on',
  });
  return (
    <>
      <div class="pair">
        <Field {...of('name')} maxLength={255} />
        <Field {...of('price')} type="number" min="0" />
      </div>
      <div class="pair">
        <Field {...of('discount.type')} options={Object.entries(t.discountTypes)} />
        <Field {...of('discount.value')} type="number" min="0" step="any" />
      </div>
      <div class="pair">
        <Field {...of('discount.startDate')} type="datetime-local" />
        <Field {...of('discount.endDate')} type="datetime-local" />
      </div>
      <Preview values={values} />
      <Field {...of('description')} type="textarea" maxLength={4096} />
      <Field {...of('item')} help={t.itemHelp} maxLength={63} />
      <div class="pair">
        <Field {...check('active')} help={t.activeHelp} />
        <Field {...check('listed')} help={t.listedHelp} />
        <Field {...check('blockCredits')} />
        <Field {...check('bloggable')} />
        <Field {...check('limited')} />
        <div hidden={values.limited !== 'on' && values.availableAmount === initial.availableAmount}>
          <Field {...of('availableAmount')} type="number" min="0" />
        </div>
      </div>
      <fieldset class="pair">
        <legend>{t.permissions}</legend>
        <Field {...check('permissions.copy')} />
        <Field {...check('permissions.modify')} />
        <Field {...check('permissions.transfer')} />
      </fieldset>
      <Field {...of('profitShares')} type="textarea" help={t.sharesHelp} />
      <div class="pair">
        <Field {...of('image')} help={t.imageHelp} maxLength={36} />
        <Field {...of('demoId')} type="product" />
      </div>
    </>
  );
};

import { useRef, useState } from 'preact/hooks';
import { lessPercent } from '../../../lib/price.ts';
import type { ProductResponse, ProductUpsertRequest } from '../../client/client.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { go, link, useForm } from '../address.ts';
import { isUuid, localTime, money } from '../format.ts';
import { readProduct, type ShownProduct } from '../listed.ts';
import { forgetName } from '../names.ts';
import { Actions } from '../parts/actions.tsx';
import { CopyId } from '../parts/copy.tsx';
import { Edit } from '../parts/edit.tsx';
import { Field, Form, type Values } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { FactList, State } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { Picture } from '../parts/picture.tsx';
import { forgetProducts } from '../parts/product.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { saleWords } from '../words/sale.ts';
import { t } from './product.texts.ts';
import { ProductCard } from './product-card.tsx';
import { Sell } from './sell.tsx';

const flag = (value: boolean): string => (value ? 'on' : '');

const nilUuid = '00000000-0000-0000-0000-000000000000';

/** The values of the form's fields. */
const productValues = ({ product, isListed }: ShownProduct): Values => ({
  name: product.name,
  item: product.item,
  price: String(product.price),
  'discount.type': String(product.discount.type),
  'discount.value': String(product.discount.value),
  'discount.startDate': localTime(product.discount.startDate),
  'discount.endDate': localTime(product.discount.endDate),
  description: product.description.replaceAll('\r\n', '\n'),
  active: flag(product.active),
  listed: flag(isListed),
  blockCredits: flag(product.blockCredits),
  bloggable: flag(product.bloggable),
  limited: flag(product.limited),
  availableAmount: String(product.availableAmount),
  'permissions.copy': flag(product.permissions.copy),
  'permissions.modify': flag(product.permissions.modify),
  'permissions.transfer': flag(product.permissions.transfer),
  profitShares: product.profitShares.map(({ userUuid, percent }) => `${userUuid} ${percent}`).join('\n'),
  image: product.image === nilUuid ? '' : product.image,
  demoId: product.demoId ?? '',
});

const initialValues: Values = {
  price: '',
  'discount.type': '0',
  'discount.value': '0',
  active: 'on',
  listed: 'on',
  'permissions.copy': 'on',
  availableAmount: '0',
};

/** An empty or wrong number becomes not-a-number, so that the service says what the field accepts. */
const numberOf = (text: string | undefined): number => (text ? Number(text) : Number.NaN);

/** A field's time. A field that was not edited keeps its seconds, which it does not show. */
const enteredTime = (text: string | undefined, before: string | null | undefined): string | null => {
  if (!text) return null;
  if (before && localTime(before) === text) return before;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
};

/** `name percent`, a line for each. */
const sharesOf = (text = '') =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [, user = line, percent] = /^(.+?)\s+([\d.]+)\s*%?$/.exec(line) ?? [];
      const person = copiedName(user);
      return { ...(isUuid(person) ? { userUuid: person } : { username: person }), percent: numberOf(percent) };
    });

const productBody = (values: Values, before?: ProductResponse): ProductUpsertRequest => ({
  name: values.name ?? '',
  ...(values.item && { item: values.item }),
  price: numberOf(values.price),
  discount: {
    type: Number(values['discount.type']) as 0 | 1 | 2,
    value: numberOf(values['discount.value']),
    startDate: enteredTime(values['discount.startDate'], before?.discount.startDate),
    endDate: enteredTime(values['discount.endDate'], before?.discount.endDate),
  },
  description: values.description ?? '',
  active: values.active === 'on',
  listed: values.listed === 'on',
  blockCredits: values.blockCredits === 'on',
  bloggable: values.bloggable === 'on',
  limited: values.limited === 'on',
  availableAmount: numberOf(values.availableAmount),
  permissions: {
    copy: values['permissions.copy'] === 'on',
    modify: values['permissions.modify'] === 'on',
    transfer: values['permissions.transfer'] === 'on',
  },
  profitShares: sharesOf(values.profitShares),
  ...(values.image && { image: values.image }),
  demoId: values.demoId || null,
});

/** The price that buyers would see now, by the service's own rule: percentages round half up. */
const previewOf = (values: Values): { price: number; runs: 'now' | 'later' | 'over' | 'none' } | undefined => {
  const [price, value] = [numberOf(values.price), numberOf(values['discount.value'])];
  if (!Number.isInteger(price) || price < 0 || Number.isNaN(value)) return undefined;
  const [start, end] = ['discount.startDate', 'discount.endDate'].map((name) => enteredTime(values[name], null));
  if (start && Date.parse(start) > Date.now()) return { price, runs: 'later' };
  if (end && Date.parse(end) <= Date.now()) return { price, runs: 'over' };
  const type = values['discount.type'];
  if (type === '2') return { price: value, runs: 'now' };
  if (type === '1') return { price: Math.max(0, price - value), runs: value > 0 ? 'now' : 'none' };
  if (value > 100) return undefined;
  return { price: lessPercent(price, value), runs: value > 0 ? 'now' : 'none' };
};

const Preview = ({ values }: { values: Values }) => {
  const preview = previewOf(values);
  return (
    <p class="effect" aria-live="polite">
      {preview ? t.preview[preview.runs](preview.price) : t.previewNone}
    </p>
  );
};

const Fields = ({ values, initial }: { values: Values; initial: Values }) => {
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

/** Words for a value in the choice between two. */
const describeField = (name: string, value: string): string => {
  if (name === 'discount.type') return t.discountTypes[Number(value) as 0 | 1 | 2] ?? value;
  if (['name', 'item', 'description', 'profitShares', 'image', 'demoId'].includes(name)) return value;
  if (name === 'price') return value === '' || Number.isNaN(Number(value)) ? value : money(Number(value));
  if (name.startsWith('discount.') || name === 'availableAmount') return value.replace('T', ' ');
  return value === 'on' ? t.yes : t.no;
};

const EditProduct = ({
  read,
  reload,
  onSaved,
}: {
  read: ShownProduct;
  reload: () => void;
  onSaved: (read: ShownProduct) => void;
}) => {
  const session = useSession();
  const say = useSay();
  const initial = productValues(read);
  const [values, setValues] = useState(initial);
  const latest = useRef(read.product);
  const { id } = read.product;
  return (
    <section class="card">
      <Edit
        initial={initial}
        labels={t.fields}
        wordsOf={describeField}
        onValues={setValues}
        save={async (changed) => {
          const saved = await session.client.put('/v1/products/{id}', {
            path: { id },
            body: productBody(changed, latest.current),
          });
          forgetName(id);
          forgetProducts();
          // The form starts again before anybody can type on.
          onSaved(await readProduct(session, id));
          say(t.saved(saved.name, saved.activePrice));
        }}
        readAgain={async () => {
          const again = await readProduct(session, id);
          latest.current = again.product;
          return productValues(again);
        }}
        onTheirs={reload}
      >
        <Fields values={values} initial={initial} />
      </Edit>
    </section>
  );
};

const Facts = ({ product }: { product: ProductResponse }) => (
  <FactList
    of={[
      [t.price, money(product.price)],
      [t.activePrice, money(product.activePrice)],
      [t.item, product.item],
      ...(product.limited ? [[t.available, t.left(product.availableAmount)] as const] : []),
    ]}
  />
);

export const ProductPage = ({ id }: { id: string }) => {
  const session = useSession();
  const { can } = session;
  const [round, setRound] = useState(0);
  const selling = useForm('sell');
  const loaded = useLoad((signal) => readProduct(session, id, signal), [id, round]);
  const [saved, setSaved] = useState<{ first: ShownProduct; read: ShownProduct }>();
  return (
    <Show of={loaded}>
      {(first) => {
        const read = saved?.first === first ? saved.read : first;
        return (
          <>
            <Heading
              title={read.product.name}
              thing={`/products/${id}`}
              picture={<Picture of={read.product} isLarge />}
            >
              {!read.product.active && <State tone="warn">{t.inactive}</State>}
              <Actions
                all={[
                  read.product.active && can('sales:write') && { text: saleWords.sell, press: selling.open },
                  can('sales:read') && { text: t.sales, to: link('/sales', { product: id }) },
                  read.product.permissions.copy &&
                    can('products:redeliver', 'sales:read', 'deliveries:read') && {
                      text: t.newVersion,
                      to: link(`/products/${encodeURIComponent(id)}/version`),
                    },
                ]}
              />
            </Heading>
            {selling.isOpen && can('sales:write') && <Sell product={read.product} onClose={selling.close} />}
            <p class="identity">
              <CopyId id={read.product.id} />
            </p>
            <Facts product={read.product} />
            <div class="stack">
              {can('products:write') ? (
                // The form starts again each time the product is read.
                <EditProduct
                  key={read}
                  read={read}
                  reload={() => setRound((last) => last + 1)}
                  onSaved={(again) => setSaved({ first, read: again })}
                />
              ) : (
                <p class="card text">{read.product.description || '–'}</p>
              )}
              <ProductCard id={id} />
            </div>
          </>
        );
      }}
    </Show>
  );
};

export const NewProductPage = () => {
  const { client } = useSession();
  const say = useSay();
  const [values, setValues] = useState(initialValues);
  return (
    <>
      <Heading title={t.create} />
      <section class="card">
        <Form
          submit={t.submit}
          onValues={setValues}
          onSend={async (given) => {
            const made = await client.post('/v1/products', { body: productBody(given) });
            forgetProducts();
            go(link(`/products/${encodeURIComponent(made.id)}`));
            say(t.created(made.name));
          }}
        >
          <Fields values={values} initial={initialValues} />
        </Form>
      </section>
    </>
  );
};

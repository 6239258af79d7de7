import { useRef, useState } from 'preact/hooks';
import type { ProductResponse } from '../../client/client.ts';
import { go, link, useForm } from '../address.ts';
import { money } from '../format.ts';
import { readProduct, type ShownProduct } from '../listed.ts';
import { forgetName } from '../names.ts';
import { Actions } from '../parts/actions.tsx';
import { CopyId } from '../parts/copy.tsx';
import { Edit } from '../parts/edit.tsx';
import { Form } from '../parts/form.tsx';
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
import { Fields } from './product-fields.tsx';
import { describeField, initialValues, productBody, productValues } from './product-values.ts';
import { Sell } from './sell.tsx';

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

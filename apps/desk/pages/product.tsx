import { useRef, useState } from 'preact/hooks';
import type { ProductResponse } from '../../client/client.ts';
import { nothingEarned } from '../../shared/earnings.ts';
import { go, link, useForm } from '../address.ts';
import { count, money } from '../format.ts';
import { readProduct, type ShownProduct } from '../listed.ts';
import { forgetName } from '../names.ts';
import { Actions } from '../parts/actions.tsx';
import { Card } from '../parts/card.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { CopyId } from '../parts/copy.tsx';
import { Edit } from '../parts/edit.tsx';
import { Form, type Values } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { later, laterDialog } from '../parts/later.tsx';
import { FactList, State } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { Picture } from '../parts/picture.tsx';
import { forgetProducts } from '../parts/product.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { bestProducts, dayMillis } from '../sums.ts';
import { saleWords } from '../words/sale.ts';
import { t } from './product.texts.ts';
import { ProductCard } from './product-card.tsx';
import { Fields } from './product-fields.tsx';
import { describeField, enteredValues, initialValues, isSteep, productBody, productValues } from './product-values.ts';

const Changes = later(async () => (await import('../parts/changes.tsx')).Changes);
const Sell = laterDialog(async () => (await import('./sell.tsx')).Sell);

/** A price that falls so far that it may be a slip. */
interface PriceQuestion {
  from: number;
  to: number;
  answer: (isRight: boolean) => void;
}

const most = 1000;

/** The sums of a product's newest sales of 30 days. */
const Sums = ({ id }: { id: string }) => {
  const { client } = useSession();
  const loaded = useLoad(
    (signal) => {
      const from = new Date(Date.now() - 30 * dayMillis).toISOString();
      return client.get('/v1/sales', { query: { product: id, state: 'completed', from, limit: most }, signal });
    },
    [id],
  );
  return (
    <Card title={t.cards.sums}>
      <Show of={loaded}>
        {({ data, pagination }) => {
          const { sales, paid, shares, commissions, yours } = bestProducts(data)[0] ?? { sales: 0, ...nothingEarned };
          return (
            <>
              <dl class="lines">
                {[
                  [t.sums.sold, count(sales)],
                  [t.sums.paid, money(paid)],
                  [t.sums.others, money(shares + commissions)],
                  [t.sums.yours, money(yours)],
                ].map(([name, value]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
              {pagination.nextCursor !== null && <p class="help">{t.sums.newest(most)}</p>}
            </>
          );
        }}
      </Show>
    </Card>
  );
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
  const [entered, setEntered] = useState<Values>();
  const [question, setQuestion] = useState<PriceQuestion>();
  const latest = useRef(read.product);
  const { id } = read.product;
  const ask = async (changed: Values): Promise<boolean> => {
    const [from, to] = [latest.current.price, Number(changed.price || Number.NaN)];
    return !isSteep(from, to) || new Promise((answer) => setQuestion({ from, to, answer }));
  };
  const answer = (isRight: boolean) => {
    question?.answer(isRight);
    setQuestion(undefined);
  };
  return (
    <>
      {question && (
        <Confirm
          title={t.steep.title(question.to)}
          text={t.steep.text(question.from, question.to)}
          submit={t.steep.submit(question.to)}
          onSend={async () => answer(true)}
          onClose={() => answer(false)}
        />
      )}
      <Edit
        initial={initial}
        labels={t.fields}
        wordsOf={describeField}
        valuesOf={enteredValues}
        onValues={setEntered}
        onDiscard={reload}
        ask={ask}
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
        <Fields id={id} entered={entered} initial={initial}>
          {session.can('sales:read') && <Sums id={id} />}
        </Fields>
      </Edit>
    </>
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
        const isSold = read.product.active && can('sales:write');
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
                  isSold && { text: saleWords.sell, press: selling.open },
                  can('sales:read') && { text: t.sales, to: link('/sales', { product: id }) },
                  read.product.permissions.copy &&
                    can('products:redeliver', 'sales:read', 'deliveries:read') && {
                      text: t.newVersion,
                      to: link(`/products/${encodeURIComponent(id)}/version`),
                    },
                ]}
              />
            </Heading>
            {selling.isOpen && isSold && <Sell product={read.product} onClose={selling.close} />}
            <p class="identity">
              <CopyId id={read.product.id} />
            </p>
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
                <>
                  <Facts product={read.product} />
                  <p class="card text">{read.product.description || '–'}</p>
                </>
              )}
              <ProductCard id={id} />
              {can('journal:read') && <Changes subject={id} of={read} />}
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
  const [entered, setEntered] = useState<Values>();
  return (
    <>
      <Heading title={t.create} />
      <Form
        submit={t.submit}
        bar={{ said: '' }}
        onValues={setEntered}
        onSend={async (given) => {
          const made = await client.post('/v1/products', { body: productBody(enteredValues(given)) });
          forgetProducts();
          go(link(`/products/${encodeURIComponent(made.id)}`));
          say(t.created(made.name));
        }}
      >
        <Fields entered={entered} initial={initialValues} />
      </Form>
    </>
  );
};

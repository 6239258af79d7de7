import { useState } from 'preact/hooks';
import type { CategoryResponse, ProductResponse } from '../../client/client.ts';
import { go, link } from '../address.ts';
import { isUuid } from '../format.ts';
import { productName } from '../names.ts';
import { Actions, menuColumn } from '../parts/actions.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Edit } from '../parts/edit.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { List } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { useList } from '../parts/rows.ts';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { t } from './category.texts.ts';
import { productColumns } from './products.tsx';

interface CategoryProps {
  category: CategoryResponse;
  reload: () => void;
  onClose: () => void;
}

const Rename = ({ category: { id, name }, reload, onClose }: CategoryProps) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={`${t.rename}: ${name}`} onClose={onClose}>
      <Edit
        initial={{ name }}
        labels={{ name: t.name }}
        onCancel={onClose}
        onTheirs={() => {
          onClose();
          reload();
        }}
        readAgain={async () => ({ name: (await client.get('/v1/categories/{id}', { path: { id } })).name })}
        save={async ({ name: given = '' }) => {
          const saved = await client.put('/v1/categories/{id}', { path: { id }, body: { name: given } });
          onClose();
          reload();
          say(t.renamed(saved.name));
        }}
      >
        <Field name="name" label={t.name} initial={name} maxLength={255} autoFocus />
      </Edit>
    </Dialog>
  );
};

const Remove = ({ category: { id, name, productCount }, onClose }: CategoryProps) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={t.remove.title(name)} onClose={onClose}>
      <Form
        submit={t.remove.submit}
        isDangerous
        onCancel={onClose}
        onSend={async () => {
          await client.delete('/v1/categories/{id}', { path: { id } });
          onClose();
          go(link('/categories'));
          say(t.remove.done(name));
        }}
      >
        <p>{t.remove.text(productCount)}</p>
      </Form>
    </Dialog>
  );
};

const Add = ({ category: { id, name }, reload, onClose }: CategoryProps) => {
  const session = useSession();
  const say = useSay();
  const [missing, setMissing] = useState<string>();
  return (
    <Dialog title={`${t.add.open}: ${name}`} onClose={onClose}>
      <Form
        submit={t.add.submit}
        onCancel={onClose}
        onValues={() => setMissing(undefined)}
        onSend={async ({ product = '' }) => {
          if (!isUuid(product)) return setMissing(product);
          await session.client.post('/v1/categories/{id}/products/{productId}', { path: { id, productId: product } });
          onClose();
          reload();
          say(t.add.done(await productName(session, product), name));
        }}
      >
        <Field type="product" name="product" label={t.add.product} autoFocus />
        {missing !== undefined && (
          <p class="error" role="alert">
            {t.add.missing(missing)}
          </p>
        )}
      </Form>
    </Dialog>
  );
};

const Members = ({ category, round, reload }: { category: CategoryResponse; round: number; reload: () => void }) => {
  const { client, can } = useSession();
  const say = useSay();
  const products = useList({
    columns: () => [
      ...productColumns,
      menuColumn((product: ProductResponse) => ({
        of: product.name,
        id: product.id,
        all: [can('categories:write') && { text: t.takeOut.open, press: () => takeOut(product) }],
      })),
    ],
    keyOf: ({ id }) => id,
    read: (page, signal) => client.get('/v1/products', { query: { category: category.id, ...page }, signal }),
    inputs: [round],
  });
  const takeOut = async ({ id, name }: ProductResponse) => {
    await client.delete('/v1/categories/{id}/products/{productId}', { path: { id: category.id, productId: id } });
    reload();
    say(t.takeOut.done(name, category.name));
  };
  return <List of={products} file="products-of-category" caption={t.members(category.name)} empty={t.empty} />;
};

export const CategoryPage = ({ id }: { id: string }) => {
  const { client, can } = useSession();
  const [round, setRound] = useState(0);
  const reload = () => setRound((last) => last + 1);
  const loaded = useLoad((signal) => client.get('/v1/categories/{id}', { path: { id }, signal }), [id, round]);
  return (
    <Show of={loaded}>
      {(category) => (
        <>
          <Heading title={category.name} thing={`/categories/${category.id}`}>
            <Actions
              all={[
                can('categories:write', 'products:read') && {
                  text: t.add.open,
                  opens: (onClose) => <Add category={category} reload={reload} onClose={onClose} />,
                  isMain: true,
                },
                can('categories:write') && {
                  text: t.rename,
                  opens: (onClose) => <Rename category={category} reload={reload} onClose={onClose} />,
                },
                can('categories:write') && {
                  text: t.remove.open,
                  opens: (onClose) => <Remove category={category} reload={reload} onClose={onClose} />,
                },
              ]}
            />
          </Heading>
          {can('products:read') && <Members category={category} round={round} reload={reload} />}
        </>
      )}
    </Show>
  );
};

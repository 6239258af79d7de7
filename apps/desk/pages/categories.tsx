import { useState } from 'preact/hooks';
import type { CategoryResponse } from '../../client/client.ts';
import { link } from '../address.ts';
import { count } from '../format.ts';
import { menuColumn } from '../parts/actions.tsx';
import type { Column } from '../parts/column.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { List } from '../parts/list.tsx';
import { useList } from '../parts/rows.ts';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './category.texts.ts';

const columns: readonly Column<CategoryResponse>[] = [
  {
    heading: t.name,
    cell: ({ id, name }) => <a href={link(`/categories/${encodeURIComponent(id)}`)}>{name}</a>,
    value: ({ name }) => name,
    sort: { name: 'name', kind: 'text' },
  },
  {
    heading: t.products,
    cell: ({ productCount }) => count(productCount),
    value: ({ productCount }) => productCount,
    sort: { name: 'products', kind: 'size' },
    isNumber: true,
  },
  { heading: t.id, value: ({ id }) => id },
  menuColumn(({ id, name }) => ({
    of: name,
    id,
    all: [{ text: texts.open, to: link(`/categories/${encodeURIComponent(id)}`) }],
  })),
];

export const CategoriesPage = () => {
  const { client, can } = useSession();
  const say = useSay();
  const [isCreating, setCreating] = useState(false);
  const categories = useList({
    columns: () => columns,
    keyOf: ({ id }) => id,
    read: (query, signal) => client.get('/v1/categories', { query, signal }),
  });
  return (
    <>
      <Heading title={t.title}>
        {can('categories:write') && (
          <button type="button" class="button is-main" onClick={() => setCreating(true)}>
            {t.create}
          </button>
        )}
      </Heading>
      {isCreating && (
        <Dialog title={t.create} onClose={() => setCreating(false)}>
          <Form
            submit={t.create}
            onCancel={() => setCreating(false)}
            onSend={async ({ name = '' }) => {
              const made = await client.post('/v1/categories', { body: { name } });
              setCreating(false);
              categories.reload();
              say(t.created(made.name));
            }}
          >
            <Field name="name" label={t.name} maxLength={255} autoFocus />
          </Form>
        </Dialog>
      )}
      <List of={categories} file="categories" caption={t.caption} empty={t.none} />
    </>
  );
};

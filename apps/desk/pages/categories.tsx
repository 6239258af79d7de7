import { useState } from 'preact/hooks';
import type { CategoryResponse } from '../../client/client.ts';
import { link, useAddress } from '../address.ts';
import { count } from '../format.ts';
import { CopyId } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { type Column, List } from '../parts/list.tsx';
import { useLoad } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { t } from './category.texts.ts';

const columns: readonly Column<CategoryResponse>[] = [
  {
    heading: t.name,
    cell: ({ id, name }) => <a href={link(`/categories/${encodeURIComponent(id)}`)}>{name}</a>,
    value: ({ name }) => name,
  },
  {
    heading: t.products,
    cell: ({ productCount }) => count(productCount),
    value: ({ productCount }) => productCount,
    isNumber: true,
  },
  { heading: t.id, inRow: 'none', isTool: true, cell: ({ id }) => <CopyId id={id} />, value: ({ id }) => id },
];

export const CategoriesPage = () => {
  const { client, can } = useSession();
  const say = useSay();
  const { query } = useAddress();
  const [isCreating, setCreating] = useState(false);
  const page = { limit: 50, ...(query.cursor && { cursor: query.cursor }) };
  const categories = useLoad((signal) => client.get('/v1/categories', { query: page, signal }), [JSON.stringify(page)]);
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
      <List
        of={categories}
        all={() => client.rows('/v1/categories', { query: { limit: 1000 } })}
        file="categories"
        caption={t.caption}
        columns={columns}
        keyOf={({ id }) => id}
        empty={t.none}
      />
    </>
  );
};

import type { ProductGiftCardResponse } from '../../client/client.ts';
import { Field, Form } from '../parts/form.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { t } from './product.texts.ts';

const EditCard = ({ id, card: { credit, texture } }: { id: string; card: ProductGiftCardResponse }) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Form
      submit={t.card.submit}
      onSend={async (values) => {
        const saved = await client.put('/v1/products/{id}/giftcard', {
          path: { id },
          body: { credit: values.credit ? Number(values.credit) : 0, texture: values.texture || null },
        });
        say(saved.credit > 0 ? t.card.saved(saved.credit) : t.card.ended);
      }}
    >
      <p class="help">{t.card.help}</p>
      <div class="pair">
        <Field
          name="credit"
          label={t.card.credit}
          help={t.card.creditHelp}
          type="number"
          min="0"
          initial={credit > 0 ? String(credit) : ''}
        />
        <Field name="texture" label={t.card.texture} help={t.imageHelp} maxLength={36} initial={texture ?? ''} />
      </div>
    </Form>
  );
};

/** The gift card that each sale of a product makes. */
export const ProductCard = ({ id }: { id: string }) => {
  const { client, can } = useSession();
  const loaded = useLoad((signal) => client.get('/v1/products/{id}/giftcard', { path: { id }, signal }), [id]);
  return (
    <section class="card" aria-labelledby="card">
      <h2 id="card">{t.card.title}</h2>
      <Show of={loaded}>
        {(card) =>
          can('products:write') ? (
            <EditCard id={id} card={card} />
          ) : (
            <p>{card.credit > 0 ? t.card.is(card.credit) : t.card.none}</p>
          )
        }
      </Show>
    </section>
  );
};

import type { ProductGiftCardResponse } from '../../client/client.ts';
import { Fold } from '../parts/fold.tsx';
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
    <Show of={loaded}>
      {(card) => {
        const said = card.credit > 0 ? t.card.is(card.credit) : t.card.none;
        return can('products:write') ? (
          <Fold look="card" title={t.card.title} said={said}>
            <EditCard id={id} card={card} />
          </Fold>
        ) : (
          <p class="card">{said}</p>
        );
      }}
    </Show>
  );
};

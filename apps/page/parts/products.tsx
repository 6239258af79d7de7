import sendIcon from 'lucide/dist/esm/icons/send.mjs';
import { useState } from 'preact/hooks';
import type { Held } from '../held.ts';
import { useSpeech } from '../speech.ts';
import { Icon } from './icon.tsx';
import { Section } from './section.tsx';

type Product = Held['products']['rows'][number];

const tints = 6;

/** A tint that is always the same for an id, so that rows are told apart. */
const tintOf = (id: string): string =>
  `is-tint-${[...id].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 1009, 7) % tints}`;

interface RowProps {
  product: Product;
  isOnItsWay: boolean;
  send: (product: Product) => Promise<void>;
}

const Row = ({ product, isOnItsWay, send }: RowProps) => {
  const { t, day, count } = useSpeech();
  const [isBusy, setBusy] = useState(false);
  const { productId, quantity, boughtAt, lastDeliveredAt, canRedeliver } = product;
  const name = product.name || t.products.gone;
  const isMissing = lastDeliveredAt === null && !isOnItsWay;
  const press = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await send(product);
    setBusy(false);
  };
  const state = isMissing ? t.products.notDelivered : isOnItsWay ? t.products.onItsWay : t.products.delivered;
  const note = [day(boughtAt), quantity > 1 ? t.products.times(count(quantity)) : '', state].filter(Boolean);
  return (
    <li>
      <span class={`picture ${tintOf(productId)}`} data-letters={[...name].slice(0, 2).join('')} aria-hidden="true" />
      <span class="grow">
        <b>{name}</b>
        <small class={isMissing ? 'is-bad' : ''}>{note.join(' · ')}</small>
        {isMissing && !canRedeliver && <small>{t.products.noCopy}</small>}
      </span>
      {canRedeliver && (
        <button
          type="button"
          class={`button ${isMissing ? 'is-main' : ''}`}
          aria-label={isBusy ? t.busy : t.products.sendOf(name)}
          aria-disabled={isBusy}
          onClick={press}
        >
          <Icon of={sendIcon} />
          {isBusy ? t.busy : t.products.send}
        </button>
      )}
    </li>
  );
};

interface ProductsProps {
  products: Held['products'];
  /** The products that were sent again from here, and have not been delivered since. */
  onTheirWay: ReadonlyMap<string, string>;
  send: (product: Product) => Promise<void>;
  more: () => Promise<void>;
}

/** The purchases of the avatar, to be sent again. */
export const Products = ({ products: { rows, next }, onTheirWay, send, more }: ProductsProps) => {
  const { t } = useSpeech();
  const isOnItsWay = ({ productId, lastDeliveredAt }: Product): boolean =>
    (onTheirWay.get(productId) ?? '') > (lastDeliveredAt ?? '');
  return (
    <Section title={t.products.title} more={next === null ? undefined : more}>
      {rows.length === 0 && <p class="note">{t.products.none}</p>}
      <ul class="rows">
        {rows.map((product) => (
          <Row key={product.productId} product={product} isOnItsWay={isOnItsWay(product)} send={send} />
        ))}
      </ul>
    </Section>
  );
};

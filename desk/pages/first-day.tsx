import type { ComponentChildren } from 'preact';
import { link } from '../address.ts';
import { Copy } from '../parts/copy.tsx';
import { State } from '../parts/list.tsx';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';

const t = texts.firstDay;

/** Tells how far a store has come on the way to its first sale. */
export interface FirstDayState {
  /** The id of a product, if there is one. */
  product: string | undefined;
  hasBox: boolean;
  hasVendor: boolean;
  hasSale: boolean;
}

/** Undefined once the store has delivered something or has all, and for a key that cannot tell. */
export const readFirstDay = async (
  { client, can }: Session,
  hasBox: boolean,
  signal: AbortSignal,
): Promise<FirstDayState | undefined> => {
  if (!can('deliveries:read', 'products:read', 'products:write', 'sales:read', 'vendors:read')) return undefined;
  const one = { limit: 1 };
  const delivered = await client.get('/v1/deliveries', { query: { ...one, state: 'delivered' }, signal });
  if (delivered.data.length > 0) return undefined;
  const [products, vendors, sales] = await Promise.all([
    client.get('/v1/products', { query: one, signal }),
    client.get('/v1/vendors', { query: one, signal }),
    client.get('/v1/sales', { query: { ...one, state: 'completed' }, signal }),
  ]);
  const found = {
    product: products.data[0]?.id,
    hasBox,
    hasVendor: vendors.data.length > 0,
    hasSale: sales.data.length > 0,
  };
  return found.product && hasBox && found.hasVendor && found.hasSale ? undefined : found;
};

interface StepProps {
  title: string;
  help: string;
  /** Undefined for a step that the service cannot know of. */
  isDone?: boolean;
  children: ComponentChildren;
}

const Step = ({ title, help, isDone, children }: StepProps) => (
  <li class={isDone ? 'is-done' : ''}>
    <h3>
      {title}{' '}
      {isDone === undefined ? (
        <State tone="plain">{t.optional}</State>
      ) : (
        <State tone={isDone ? 'good' : 'warn'}>{isDone ? t.done : t.open}</State>
      )}
    </h3>
    <p class="help">{help}</p>
    {!isDone && <div class="buttons">{children}</div>}
  </li>
);

/** The steps of a store's first day, each with its state and its button. */
export const FirstDay = ({ product, hasBox, hasVendor, hasSale }: FirstDayState) => (
  <section class="card" aria-labelledby="first-day">
    <h2 id="first-day">{t.title}</h2>
    <ol class="steps">
      <Step {...t.product} isDone={product !== undefined}>
        <a class="button is-main" href={link('/products/new')}>
          {t.newProduct}
        </a>
      </Step>
      <Step {...t.box} isDone={hasBox}>
        <a class="button" href={link('/setup/box')}>
          {texts.setup.titles.box}
        </a>
      </Step>
      <Step {...t.vendor} isDone={hasVendor}>
        <a class="button" href={link('/setup/vendor')}>
          {texts.setup.titles.vendor}
        </a>
      </Step>
      <Step {...t.sale} isDone={hasSale}>
        {product === undefined ? (
          <span class="help">{t.needsProduct}</span>
        ) : (
          <a class="button" href={link(`/products/${encodeURIComponent(product)}`, { sell: 'yes' })}>
            {t.sell}
          </a>
        )}
      </Step>
      <Step {...t.person}>
        <code>{t.command}</code>
        <Copy text={t.command} label={t.copyCommand} said={t.copiedCommand} />
      </Step>
    </ol>
  </section>
);

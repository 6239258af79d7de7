import type { ComponentChildren } from 'preact';
import { link } from '../address.ts';
import { State } from '../parts/list.tsx';
import { useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './first-day.texts.ts';
import { type FirstDayState, hideFirstDay } from './first-day-state.ts';

interface StepProps {
  title: string;
  help: string;
  /** Undefined for a step that the service cannot check. */
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

interface FirstDayProps {
  state: FirstDayState;
  onHide: () => void;
}

/** The first steps of a store, each with its state and its button. */
export const FirstDay = ({ state: { product, hasBox, hasVendor, hasSale }, onHide }: FirstDayProps) => {
  const session = useSession();
  const hide = () => {
    hideFirstDay(session);
    onHide();
  };
  return (
    <section class="card" aria-labelledby="first-day">
      <header>
        <h2 id="first-day">{t.title}</h2>
        <button type="button" class="button is-quiet" onClick={hide}>
          {t.hide}
        </button>
      </header>
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
            <a class="button" href={link(`/products/${encodeURIComponent(product)}`, { do: 'sell' })}>
              {t.sell}
            </a>
          )}
        </Step>
        {session.can('keys:write') && (
          <Step {...t.person}>
            <a class="button" href={link('/team')}>
              {texts.titles.team}
            </a>
          </Step>
        )}
      </ol>
    </section>
  );
};

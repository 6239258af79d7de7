import { useState } from 'preact/hooks';
import { StoreProblem, type VendorResponse } from '../../client/client.ts';
import { earningsOf, nothingEarned } from '../../shared/earnings.ts';
import { go, link } from '../address.ts';
import { time } from '../format.ts';
import { productName } from '../names.ts';
import { Actions } from '../parts/actions.tsx';
import { everyDay, SpanFilter, useSpan } from '../parts/days.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { EarnedChart } from '../parts/earned.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { FactList, State } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { chartWords } from '../words/chart.ts';
import { productWords } from '../words/product.ts';
import { t } from './vendor.texts.ts';

export const VendorState = ({ of }: { of: VendorResponse['state'] }) => (
  <State tone={of === 'active' ? 'good' : 'bad'}>{t.states[of]}</State>
);

/** The product of a vendor, with what keeps it from selling. */
export const VendorProduct = ({ of }: { of: VendorResponse['product'] }) => {
  const { can } = useSession();
  if (of === null) return <State tone="warn">{t.nothing}</State>;
  return (
    <span>
      {can('products:read') ? <a href={link(`/products/${of.id}`)}>{of.name}</a> : of.name}{' '}
      {!of.active && <State tone="warn">{productWords.inactive}</State>}
      {of.soldOut && <State tone="bad">{productWords.left(0)}</State>}
    </span>
  );
};

/** This many vendors are changed side by side. */
const atOnce = 5;

interface ChangeProps {
  vendors: readonly VendorResponse[];
  onClose: () => void;
  onDone: () => void;
}

/** Changes the product of any number of vendors. Pressing again repeats the same change. */
export const ChangeProduct = ({ vendors, onClose, onDone }: ChangeProps) => {
  const session = useSession();
  const say = useSay();
  const [done, setDone] = useState(0);
  const change = async (productId: string | null): Promise<number> => {
    const left = vendors.values();
    let [changed, gone, fault] = [0, 0, undefined as unknown];
    const work = async () => {
      // The workers share what is left. All of them end before another press can choose another product.
      for (const { uuid } of left) {
        try {
          await session.client.put('/v1/vendors/{uuid}/product', { path: { uuid }, body: { productId } });
          changed += 1;
        } catch (error) {
          if (error instanceof StoreProblem && error.status === 404) gone += 1;
          else fault ??= error;
        }
        if (fault !== undefined) return;
        setDone(changed);
      }
    };
    setDone(0);
    await Promise.all(Array.from({ length: atOnce }, work));
    if (fault !== undefined) throw fault;
    return gone;
  };
  return (
    <Dialog title={t.change.title(vendors.length)} onClose={onClose}>
      <Form
        submit={t.change.submit}
        onCancel={onClose}
        onSend={async ({ productId }) => {
          const gone = await change(productId || null);
          onClose();
          onDone();
          const name = productId ? await productName(session, productId) : t.change.nothing;
          say(t.change.done(name, vendors.length - gone, gone));
        }}
      >
        <Field type="product" name="productId" label={t.change.product} help={t.change.help} autoFocus />
        {done > 0 && (
          <p class="effect" aria-live="polite">
            {t.change.progress(done, vendors.length)}
          </p>
        )}
      </Form>
    </Dialog>
  );
};

const Forget = ({ vendor: { uuid, name }, onClose }: { vendor: VendorResponse; onClose: () => void }) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={t.forget.title(name)} onClose={onClose}>
      <Form
        submit={t.forget.submit}
        isDangerous
        onCancel={onClose}
        onSend={async () => {
          await client.delete('/v1/vendors/{uuid}', { path: { uuid } });
          onClose();
          go(link('/vendors'));
          say(t.forget.done(name));
        }}
      >
        <p>{t.forget.text}</p>
      </Form>
    </Dialog>
  );
};

const Facts = ({ vendor }: { vendor: VendorResponse }) => (
  <FactList
    of={[
      [t.product, <VendorProduct key="product" of={vendor.product} />],
      [t.region, vendor.region],
      [t.position, vendor.position ?? '–'],
      [t.script, vendor.script ?? '–'],
      [t.seen, time(vendor.seenAt)],
      [t.registered, time(vendor.registeredAt)],
    ]}
  />
);

/** The sales of the vendor by day. */
const Days = ({ uuid }: { uuid: string }) => {
  const { client } = useSession();
  const { span, from } = useSpan();
  const loaded = useLoad((signal) => client.get('/v1/store/days', { query: { from, vendor: uuid }, signal }), [from]);
  return (
    <section class="stack">
      <div class="filters">
        <SpanFilter />
      </div>
      <Show of={loaded}>
        {({ data }) => {
          if (data.length === 0) return <p class="empty">{t.noSales}</p>;
          const { days, rows } = everyDay(data, span);
          return (
            <EarnedChart
              title={chartWords.sales}
              days={days}
              earned={rows.map((day) => (day ? earningsOf(day) : nothingEarned))}
            />
          );
        }}
      </Show>
    </section>
  );
};

export const VendorPage = ({ uuid }: { uuid: string }) => {
  const { client, can } = useSession();
  const loaded = useLoad((signal) => client.get('/v1/vendors/{uuid}', { path: { uuid }, signal }), [uuid]);
  return (
    <Show of={loaded}>
      {(vendor) => (
        <>
          <Heading title={vendor.name} thing={`/vendors/${vendor.uuid}`}>
            <VendorState of={vendor.state} />
            {can('vendors:write') && (
              <Actions
                all={[
                  {
                    text: t.change.open,
                    opens: (onClose) => <ChangeProduct vendors={[vendor]} onClose={onClose} onDone={loaded.reload} />,
                    isMain: true,
                  },
                  { text: t.forget.open, opens: (onClose) => <Forget vendor={vendor} onClose={onClose} /> },
                ]}
              />
            )}
          </Heading>
          {vendor.state === 'lost' && <p class="notice is-warn spaced">{t.lostText}</p>}
          <Facts vendor={vendor} />
          {can('sales:read') && <Days uuid={uuid} />}
        </>
      )}
    </Show>
  );
};

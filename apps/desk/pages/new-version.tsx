import { useRef, useState } from 'preact/hooks';
import type { ProductResponse } from '../../client/client.ts';
import {
  countsOf,
  firstOrderedAt,
  type NewVersion,
  type Owner,
  ownersOf,
  type Reach,
  type Sender,
  type Sold,
  sendVersion,
  type VersionDelivery,
  withNames,
} from '../../shared/new-version.ts';
import { go, link, useAddress } from '../address.ts';
import { explainError, type Fault, isRefusal } from '../api.ts';
import { localTime } from '../format.ts';
import { refusalOf } from '../import/chosen.ts';
import { idFrom } from '../import/plan.ts';
import { customerName } from '../names.ts';
import type { Column } from '../parts/column.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { CustomerLink, Export, State, Table } from '../parts/list.tsx';
import { FaultBox, Show, useLoad } from '../parts/load.tsx';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { useUnsaved } from '../unsaved.ts';
import { t } from './new-version.texts.ts';

/** More owners than this are only in the exported file. */
const shown = 200;

/** Deliveries are kept for at least this many days, and the last 14 of them tell of the days before a version. */
const knownDays = 30;

const tones: Record<Reach, 'good' | 'warn' | 'bad' | 'plain'> = {
  has: 'good',
  coming: 'plain',
  failed: 'bad',
  missing: 'warn',
};

const whyOf = ({ why, waits }: Owner): string | undefined => why ?? (waits ? t.waits : undefined);

const columns: readonly Column<Owner>[] = [
  {
    heading: t.owner,
    cell: ({ uuid, name }) => <CustomerLink uuid={uuid} name={name} />,
    value: ({ name }) => name,
  },
  {
    heading: t.state,
    inRow: 'main',
    cell: ({ reach }) => <State tone={tones[reach]}>{t.states[reach]}</State>,
    value: ({ reach }) => t.states[reach],
  },
  { heading: t.why, cell: (owner) => whyOf(owner) ?? '–', value: (owner) => whyOf(owner) ?? null },
];

/** The owners of a product, with what the deliveries say about the version. */
const readOwners = async (session: Session, version: NewVersion, signal: AbortSignal): Promise<Owner[]> => {
  const { client } = session;
  const sold: Sold[] = [];
  const query = { product: version.productId, state: 'completed', limit: 1000 } as const;
  for await (const sale of client.rows('/v1/sales', { query, signal })) sold.push(sale);
  const deliveries: VersionDelivery[] = [];
  const first = firstOrderedAt(version);
  for await (const delivery of client.rows('/v1/deliveries', { query: { limit: 1000 }, signal })) {
    if (delivery.createdAt < first) break;
    if (delivery.productId === version.productId) deliveries.push(delivery);
  }
  const owners = ownersOf(version, sold, deliveries);
  const names = new Map(
    await Promise.all(owners.map(async ({ uuid }) => [uuid, await customerName(session, uuid)] as const)),
  );
  return withNames(owners, (uuid) => names.get(uuid));
};

const betweenLooksMillis = 2000;

const wait = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, betweenLooksMillis);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** The sender of a version, through the API. A repeat of an order is known by its key. */
const senderOf = (
  { client, store }: Session,
  { productId, since }: NewVersion,
  message: string,
  signal: AbortSignal,
  onChange: () => void,
): Sender => ({
  order: async ({ uuid }): ReturnType<Sender['order']> => {
    const idempotencyKey = await idFrom(store.id, 'version', JSON.stringify([productId, since, uuid]));
    try {
      const path = { identifier: uuid, productId };
      await client.post('/v1/customers/{identifier}/products/{productId}/actions/redeliver', {
        path,
        body: { message },
        idempotencyKey,
      });
      return {};
    } catch (error) {
      if (isRefusal(error)) return { why: (await explainError(error, t.broken)).text };
      throw error;
    }
  },
  look: async (owners) => {
    const pages = owners.map(({ uuid }) =>
      client.get('/v1/deliveries', { query: { recipient: uuid, limit: 20 } }).then(({ data }) => data),
    );
    return (await Promise.all(pages)).flat();
  },
  pause: () => wait(signal),
  onChange,
  isStopped: () => signal.aborted,
});

/** Sends a version when it is told to, and stops. `owners` change while it runs. */
const useSending = (version: NewVersion, owners: readonly Owner[]) => {
  const session = useSession();
  const [, setRound] = useState(0);
  const [stop, setStop] = useState<AbortController>();
  const [fault, setFault] = useState<Fault>();
  const [hasRun, setRun] = useState(false);
  const setUnsaved = useUnsaved();
  const run = async (message: string) => {
    const ending = new AbortController();
    setStop(ending);
    setFault(undefined);
    setUnsaved(true);
    const onChange = () => setRound((last) => last + 1);
    try {
      await sendVersion(version, owners, senderOf(session, version, message, ending.signal, onChange));
    } catch (error) {
      setFault(await explainError(error, t.broken));
    } finally {
      setUnsaved(false);
      setRun(true);
      setStop(undefined);
    }
  };
  return { run, stop, fault, hasRun };
};

/** The owners, with the button that sends the version to all who lack it. */
const Sending = ({ version, owners }: { version: NewVersion; owners: readonly Owner[] }) => {
  const { run, stop, fault, hasRun } = useSending(version, owners);
  const note = useRef<HTMLDivElement>(null);
  const { has, coming, failed, missing } = countsOf(owners);
  const open = missing + coming;
  const isAway = coming > 0 && owners.every(({ reach, waits }) => reach !== 'coming' || waits);
  const send = () => run(note.current?.querySelector('textarea')?.value.trim() ?? '');
  return (
    <section class="stack" aria-label={t.caption}>
      <div ref={note} hidden={missing === 0 || stop !== undefined}>
        <Field name="note" label={t.note} help={t.noteHelp} type="textarea" maxLength={1023} />
      </div>
      <div class="notice spaced">
        <div>
          <p role="status">
            {stop ? t.sending(has, owners.length) : `${t.sums(owners.length, has, coming, failed, missing)}.`}
          </p>
          {stop && <progress max={owners.length} value={has} aria-label={t.sending(has, owners.length)} />}
          {!stop && !fault && hasRun && open > 0 && <p class="help">{isAway ? t.away : t.stopped}</p>}
        </div>
        <div class="actions">
          {stop ? (
            <button type="button" class="button" onClick={() => stop.abort()}>
              {t.stop}
            </button>
          ) : (
            open > 0 && (
              <button type="button" class="button is-main" onClick={send}>
                {t.send(open)}
              </button>
            )
          )}
        </div>
      </div>
      {fault && <FaultBox fault={fault} />}
      <Table
        caption={t.caption}
        columns={columns}
        rows={owners.slice(0, shown)}
        keyOf={({ uuid }) => uuid}
        empty={t.none}
      />
      {owners.length > 0 && (
        <nav class="pages" aria-label={texts.list.pages}>
          <Export columns={columns} all={() => owners} file="new-version" />
        </nav>
      )}
    </section>
  );
};

/** Asks since when the box has the version. The address keeps the time, so that a link leads back to the run. */
const Since = ({ of }: { of: string | undefined }) => {
  const { path } = useAddress();
  return (
    <section class="card">
      <Form
        submit={t.show}
        isUnguarded
        onSend={async ({ since = '' }) => {
          const at = new Date(since);
          if (Number.isNaN(at.getTime())) throw refusalOf([t.missing]);
          if (at.getTime() < Date.now() - knownDays * 86_400_000) throw refusalOf([t.tooLong]);
          go(link(path, { since: at.toISOString() }));
        }}
      >
        <Field
          name="since"
          label={t.since}
          help={t.sinceHelp}
          type="datetime-local"
          initial={localTime(of ?? new Date().toISOString())}
        />
      </Form>
    </section>
  );
};

const Owners = ({ product, since }: { product: ProductResponse; since: string }) => {
  const session = useSession();
  const version = { productId: product.id, item: product.item, since };
  const loaded = useLoad((signal) => readOwners(session, version, signal), [product.id, since]);
  return <Show of={loaded}>{(owners) => <Sending key={owners} version={version} owners={owners} />}</Show>;
};

export const NewVersionPage = ({ id }: { id: string }) => {
  const { client } = useSession();
  const { query } = useAddress();
  const loaded = useLoad((signal) => client.get('/v1/products/{id}', { path: { id }, signal }), [id]);
  return (
    <Show of={loaded}>
      {(product) => (
        <>
          <Heading title={t.title} />
          <p class="help intro">
            <a href={link(`/products/${encodeURIComponent(id)}`)}>{product.name}</a>. {t.intro}
          </p>
          {product.permissions.copy ? (
            <div class="stack">
              <Since key={query.since} of={query.since} />
              {query.since !== undefined && <Owners product={product} since={query.since} />}
            </div>
          ) : (
            <p class="empty">{t.noCopy}</p>
          )}
        </>
      )}
    </Show>
  );
};

import { useState } from 'preact/hooks';
import type { CustomerResponse, ProductResponse } from '../../client/client.ts';
import { dayIn } from '../format.ts';
import { discountRows, giftRows } from '../import/chosen.ts';
import type { Giving } from '../import/credit.ts';
import { importColumns } from '../import/known-columns.ts';
import type { ImportRow } from '../import/rows.ts';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { later } from '../parts/later.tsx';
import { planWords } from '../words/plan.ts';
import { t } from './many.texts.ts';
import { givingOf, RunFields } from './run-fields.tsx';

/**
 * Makes the same change to many things chosen in a list: first a form with the values, then the plan and run of an
 * import.
 */

const PlannedRows = later(async () => (await import('./import-plan.tsx')).PlannedRows);

const { show } = planWords.run;

interface ManyProps<R> {
  chosen: readonly R[];
  /** Leaves for the list; `hasBegun` says whether something was written. */
  onEnd: (hasBegun: boolean) => void;
}

/** Gives many customers the same credit. */
export const GiveMany = ({ chosen, onEnd }: ManyProps<CustomerResponse>) => {
  const [asked, setAsked] = useState<{ rows: ImportRow[]; giving: Giving }>();
  const customers = chosen.map(({ uuid }) => uuid);
  return (
    <>
      <Heading title={t.credit.title(chosen.length)} />
      {asked ? (
        <PlannedRows kind="credit" from="customers" {...asked} onEnd={onEnd} />
      ) : (
        <section class="card">
          <Form
            submit={show}
            onCancel={() => onEnd(false)}
            onSend={async (values) =>
              setAsked({ rows: giftRows(importColumns, customers, values, Date.now()), giving: givingOf(values) })
            }
          >
            <div class="pair">
              <Field name="amount" label={t.credit.amount} type="number" min="1" autoFocus />
              <Field
                name="type"
                label={t.credit.type}
                options={[
                  ['regular', t.credit.regular],
                  ['restricted', t.credit.restricted],
                ]}
              />
            </div>
            <Field name="expiresAt" label={t.credit.expires} help={t.credit.expiresHelp} type="date" min={dayIn(0)} />
            <RunFields initial={t.credit.run(dayIn(0))} />
          </Form>
        </section>
      )}
    </>
  );
};

const noRun: Giving = { reference: '', reason: '' };

/** Sets the same discount for many products. */
export const DiscountMany = ({ chosen, onEnd }: ManyProps<ProductResponse>) => {
  const [rows, setRows] = useState<ImportRow[]>();
  const products = chosen.map(({ id }) => id);
  return (
    <>
      <Heading title={t.discount.title(chosen.length)} />
      {rows ? (
        <PlannedRows kind="products" from="products" rows={rows} giving={noRun} onEnd={onEnd} />
      ) : (
        <section class="card">
          <Form
            submit={show}
            onCancel={() => onEnd(false)}
            onSend={async (values) => setRows(discountRows(importColumns, products, values, Date.now()))}
          >
            <Field
              name="discount.value"
              label={t.discount.value}
              help={t.discount.help}
              type="number"
              min="0"
              step="any"
              autoFocus
            />
            <div class="pair">
              <Field
                name="discount.startDate"
                label={t.discount.startDate}
                help={t.discount.startHelp}
                type="datetime-local"
              />
              <Field
                name="discount.endDate"
                label={t.discount.endDate}
                help={t.discount.endHelp}
                type="datetime-local"
              />
            </div>
          </Form>
        </section>
      )}
    </>
  );
};

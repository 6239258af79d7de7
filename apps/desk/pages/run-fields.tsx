import { refusalOf } from '../import/chosen.ts';
import type { Giving } from '../import/credit.ts';
import { Field, type Values } from '../parts/form.tsx';
import { planWords } from '../words/plan.ts';

const t = planWords.run;

interface RunFieldsProps {
  /** The name of the run, until somebody changes it. */
  initial: string;
  /** True if the reason is the first field to fill in. */
  isFirst?: boolean;
}

/** The name of a run, by which a repeat is recognised, and its reason. */
export const RunFields = ({ initial, isFirst = false }: RunFieldsProps) => (
  <>
    <Field name="reference" label={t.reference} help={t.referenceHelp} initial={initial} maxLength={100} />
    <Field name="reason" label={t.reason} help={t.reasonHelp} maxLength={200} autoFocus={isFirst} />
  </>
);

/** The run in a form's values. Throws a refusal if a value is missing. */
export const givingOf = ({ reference, reason }: Values): Giving => {
  if (!reference || !reason) throw refusalOf([t.missing]);
  return { reference, reason };
};

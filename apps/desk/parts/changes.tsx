import './first-view.ts';
import wrench from 'lucide/dist/esm/icons/wrench.mjs';
import { useEffect, useState } from 'preact/hooks';
import { link } from '../address.ts';
import { askForCard } from '../asked-card.ts';
import { hour, time } from '../format.ts';
import { beginning, byDay, isAtEnd, readMore, type Told, tell } from '../journal.ts';
import { useSession } from '../session.ts';
import { journalWords as w } from '../words/journal.ts';
import { Card } from './card.tsx';
import { Icon } from './icon.tsx';
import { Show, useLoad } from './load.tsx';
import { Avatar } from './picture.tsx';

type Field = Told['fields'][number];

const Values = ({ of: { before, after } }: { of: Field }) => (
  <>
    {before !== undefined && (
      <>
        <s>{before}</s>
        {' → '}
      </>
    )}
    {after}
  </>
);

const FieldList = ({ of }: { of: readonly Field[] }) => (
  <dl class="changed">
    {of.map((field) => (
      <div key={field.label}>
        <dt>{field.label}</dt>
        <dd>
          <Values of={field} />
        </dd>
      </div>
    ))}
  </dl>
);

/** More fields than this are folded. */
const most = 3;

const Fields = ({ of }: { of: readonly Field[] }) => {
  const folded = of.slice(most);
  return (
    <>
      <FieldList of={of.slice(0, most)} />
      {folded.length > 0 && (
        <details>
          <summary>{w.more(folded.length)}</summary>
          <FieldList of={folded} />
        </details>
      )}
    </>
  );
};

const Thing = ({ of: { did, to, card } }: { of: Told }) =>
  to === undefined ? (
    did[1]
  ) : (
    <a href={`#${to}`} onClick={() => card !== undefined && askForCard(card)}>
      {did[1]}
    </a>
  );

const Entry = ({ of }: { of: Told }) => {
  const { at, by, did, amount, tone, note, fields, namesField } = of;
  const [only] = fields;
  return (
    <li class="entry">
      {by.id === null ? (
        <span class="bullet">
          <Icon of={wrench} />
        </span>
      ) : (
        <Avatar id={by.id} name={by.name} />
      )}
      <div>
        <p>
          <span>
            {by.name} {did[0]}
            <Thing of={of} />
            {did[2]}
          </span>
          {amount && <b class={tone && `is-${tone}`}>{amount}</b>}
        </p>
        <p class="help">
          <time dateTime={at} title={time(at)}>
            {hour(at)}
          </time>
          {only && fields.length === 1 && (
            <>
              {' · '}
              {!namesField && `${only.label}: `}
              <Values of={only} />
            </>
          )}
          {note && ` · ${note}`}
        </p>
        {fields.length > 1 && <Fields of={fields} />}
      </div>
    </li>
  );
};

/** Changes by day, in their order. A card has the days as headings below its own, a page right below its title. */
export const Entries = ({ of, level: Day = 'h3' }: { of: readonly Told[]; level?: 'h2' | 'h3' }) => (
  <>
    {byDay(of).map(([day, rows]) => (
      <section key={day} class="day" aria-label={day}>
        <Day>{day}</Day>
        <ol>
          {rows.map((row) => (
            <Entry key={row.id} of={row} />
          ))}
        </ol>
      </section>
    ))}
  </>
);

const few = 3;

/** The journal has a change normally within two seconds. */
const journalMillis = 2000;

/** The last changes of a thing, with the way to all. `of` is another value after each change that the page makes. */
export const Changes = ({ subject, of }: { subject: string; of: unknown }) => {
  const session = useSession();
  const [round, setRound] = useState<unknown>(of);
  useEffect(() => {
    if (round === of) return undefined;
    const timer = setTimeout(() => setRound(of), journalMillis);
    return () => clearTimeout(timer);
  }, [of]);
  const loaded = useLoad(
    async (signal) => {
      const read = (_: unknown, cursor: string | undefined) =>
        session.client.get('/v1/journal', { query: { subject, limit: few, ...(cursor && { cursor }) }, signal });
      const found = await readMore(read, beginning([]), few);
      return { told: await Promise.all(found.rows.map((row) => tell(session, row))), isWhole: isAtEnd(found) };
    },
    [subject, round],
  );
  return (
    <Card title={w.title}>
      <Show of={loaded}>
        {({ told, isWhole }) => (
          <div class="timeline">
            {told.length === 0 && <p class="help">{w.nothing}</p>}
            <Entries of={told} />
            {!isWhole && (
              <a class="button" href={link('/journal', { subject })}>
                {w.all}
              </a>
            )}
          </div>
        )}
      </Show>
    </Card>
  );
};

import { useEffect, useRef, useState } from 'preact/hooks';
import { Heading } from '../parts/heading.tsx';
import { FaultBox, usePress } from '../parts/load.tsx';
import { Credit } from './credit.tsx';
import { serviceNow, useLive } from './live.ts';
import { Connection } from './parts.tsx';
import { texts } from './texts.ts';
import { tool } from './tools.ts';

const t = texts.clock;

const steps = [
  ['hour', 3600],
  ['day', 86_400],
  ['week', 604_800],
] as const;

const Time = () => {
  const [now, setNow] = useState(serviceNow());
  const { aheadMillis } = useLive();
  useEffect(() => {
    setNow(serviceNow());
    const timer = setInterval(() => setNow(serviceNow()), 1000);
    return () => clearInterval(timer);
  }, [aheadMillis]);
  const timestamp = new Date(now).toISOString();
  return (
    <p class="time">
      <time dateTime={timestamp}>{timestamp.slice(0, 19).replace('T', ' ')}</time> <span class="help">UTC</span>
    </p>
  );
};

interface SweepReport {
  lots: number;
  amount: number;
  failed: number;
}

/** The clock that every endpoint uses, and what happens to credit as it moves. */
export const ClockPage = () => {
  const { aheadMillis } = useLive();
  const [sweeps, setSweeps] = useState(true);
  const [said, setSaid] = useState<string>(t.help);
  const sweep = async (): Promise<string> => t.swept(await tool<SweepReport>('sweep', {}));
  const wanted = useRef<(typeof steps)[number]>(steps[0]);
  const moving = usePress(async () => {
    const [name, advanceSeconds] = wanted.current;
    await tool('clock', { advanceSeconds });
    setSaid(`${t.moved[name]} ${sweeps ? await sweep() : t.notSwept}`);
  });
  const sweeping = usePress(async () => setSaid(await sweep()));
  const fault = moving.fault ?? sweeping.fault;
  return (
    <>
      <Heading title={t.title}>
        <Connection />
      </Heading>
      <div class="stack">
        <section class="card" aria-labelledby="clock">
          <header>
            <h2 id="clock">{t.time}</h2>
            <span class="help">{aheadMillis >= 1000 ? t.ahead(Math.round(aheadMillis / 1000) * 1000) : t.real}</span>
          </header>
          <Time />
          <div class="buttons">
            {steps.map((one) => (
              <button
                key={one[0]}
                type="button"
                class="button"
                aria-disabled={moving.isBusy}
                onClick={() => {
                  wanted.current = one;
                  moving.press();
                }}
              >
                {t.steps[one[0]]}
              </button>
            ))}
            <button type="button" class="button is-quiet" aria-disabled={sweeping.isBusy} onClick={sweeping.press}>
              {t.sweepNow}
            </button>
            <label class="check">
              <input
                type="checkbox"
                checked={sweeps}
                onChange={({ currentTarget }) => setSweeps(currentTarget.checked)}
              />{' '}
              {t.sweepAfter}
            </label>
          </div>
          {fault ? (
            <FaultBox fault={fault} />
          ) : (
            <p class="help said">
              <output>{said}</output>
            </p>
          )}
        </section>
        <Credit />
      </div>
    </>
  );
};

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { State } from '../parts/list.tsx';
import { useLive } from './live.ts';
import { texts } from './texts.ts';

/** Says in words whether the service answers. */
export const Connection = () => {
  const { connection } = useLive();
  const tone = { waiting: 'plain', live: 'good', lost: 'bad' } as const;
  return (
    <span role="status">
      <State tone={tone[connection]}>{texts.connection[connection]}</State>
    </span>
  );
};

const shownMillis = 1500;

/** A button that copies a text. `label` names the text to a screen reader. */
export const Copy = ({ label, text, children }: { label?: string; text: string; children?: ComponentChildren }) => {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    const timer = said === undefined ? undefined : setTimeout(() => setSaid(undefined), shownMillis);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid(texts.copied),
      () => setSaid(texts.notCopied),
    );
  return (
    <button type="button" class="button" aria-label={said === undefined ? label : undefined} onClick={copy}>
      {said ?? children ?? texts.copy}
    </button>
  );
};

/** Unformatted text that can be scrolled with the keyboard. */
export const Code = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore-start lint/a11y/useSemanticElements lint/a11y/noNoninteractiveTabindex: keys scroll the focus only
  <pre tabIndex={0} role="group" aria-label={label}>
    {text}
  </pre>
  // biome-ignore-end lint/a11y/useSemanticElements lint/a11y/noNoninteractiveTabindex: keys scroll the focus only
);

/** A command for the terminal. */
export const Command = ({ label, text }: { label: string; text: string }) => (
  <div class="command">
    <Code label={label} text={text} />
    <Copy label={texts.copyCommand} text={text} />
  </div>
);

/** Names with their values. A name without a value is left out. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="pairs">
    {of.map(
      ([name, value], index) =>
        value !== undefined &&
        value !== '' && (
          // Names may repeat: a header may occur twice.
          <div key={index}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
);

/** Time of day in UTC. */
export const clockTime = (timestamp: string): string => timestamp.slice(11, 19);

/** JSON laid out for reading; any other text unchanged. */
export const readable = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

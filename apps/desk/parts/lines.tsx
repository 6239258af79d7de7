import type { ComponentChildren } from 'preact';

/** `own` marks what concerns the store alone, and is not on the receipt that a printed sale is. */
export type Line = readonly [name: string, value: ComponentChildren, whose?: 'own'];

export const Lines = ({ of }: { of: readonly (Line | false)[] }) => (
  <dl class="lines">
    {of
      .filter((line) => line !== false)
      .map(([name, value, whose], index) => (
        <div key={index} class={whose && 'is-own'}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

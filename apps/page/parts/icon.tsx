import { h } from 'preact';

/** The shapes of an icon on a ground of 24 by 24, each with its attributes: data of the package lucide. */
export type IconData = readonly (readonly [shape: string, attributes: Record<string, string>])[];

/** Stands beside a word that says the same, so a screen reader passes over it. */
export const Icon = ({ of }: { of: IconData }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    {of.map(([shape, attributes]) => h(shape, attributes))}
  </svg>
);

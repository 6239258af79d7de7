import { h } from 'preact';
import type { IconData } from '../icon-data.ts';

/** Stands beside a word that says the same, so a screen reader passes over it. */
export const Icon = ({ of }: { of: IconData }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    {of.map(([shape, attributes]) => h(shape, attributes))}
  </svg>
);

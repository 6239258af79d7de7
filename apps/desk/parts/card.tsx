import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CardProps {
  title: string;
  help?: string;
  children: ComponentChildren;
}

/** A part of a page under its own heading. */
export const Card = ({ title, help, children }: CardProps) => {
  const id = useId();
  return (
    <section class="card stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {help && <p class="help">{help}</p>}
      {children}
    </section>
  );
};

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

let hasShownOne = false;

/**
 * The heading of a screen. It takes the focus where a screen replaces another, so that a screen reader reads on there.
 */
export const Title = ({ children }: { children: ComponentChildren }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (hasShownOne) heading.current?.focus();
    hasShownOne = true;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
};

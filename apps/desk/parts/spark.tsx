/** A small line without numbers. The sum or the last of them stands beside it. */
export const Spark = ({ values }: { values: readonly number[] }) => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === high) return null;
  const points = values.map((value, index) => {
    const x = (84 * index) / (values.length - 1) + 2;
    return `${x.toFixed(1)} ${(23 - (20 * (value - low)) / (high - low)).toFixed(1)}`;
  });
  return (
    <svg class="spark" viewBox="0 0 88 26" preserveAspectRatio="none" aria-hidden="true">
      <path class="is-area" d={`M2 26L${points.join('L')}L86 26z`} />
      <path d={`M${points.join('L')}`} />
    </svg>
  );
};
